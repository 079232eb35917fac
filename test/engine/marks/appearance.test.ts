import { expect, test } from "vitest";
import { appearanceOf } from "../../../src/engine/marks/appearance.ts";

test.each<[Parameters<typeof appearanceOf>[0], object]>([
  [{ template: "diagonal" }, { position: "diagonal", rotation: undefined }],
  [
    { template: "diagonal", position: "diagonal" },
    { position: "diagonal", rotation: undefined },
  ],
  [
    { template: "diagonal", position: "top" },
    { position: "top", rotation: 0 },
  ],
  [
    { template: "diagonal", rotation: 10 },
    { position: "diagonal", rotation: 10 },
  ],
  [
    { template: "outline", position: "center" },
    { position: "center", rotation: 0, isHollow: true },
  ],
  [
    { template: "stamp", position: "bottom-left" },
    { position: "bottom-left", rotation: 12 },
  ],
  [
    { template: "sidebar", position: "right" },
    { position: "right", rotation: 90 },
  ],
  [
    { template: "sidebar", position: "right", rotation: -90 },
    { position: "right", rotation: -90 },
  ],
  [
    { template: "header", color: "#ff0000" },
    { position: "top", rotation: 0, color: "#ff0000", hasEdge: false },
  ],
  [{ template: "header" }, { hasEdge: true, opacity: 1 - 0.7 * 0.7 }],
  [{ template: "footer", opacity: 1 }, { opacity: 1 }],
  [{ template: "diagonal" }, { hasEdge: true, opacity: 0.3 }],
])("the request fields %j result in the text appearance %j", (request, appearance) => {
  const { position, rotation, ...rest } = appearanceOf(request);
  expect({ position, rotation, ...rest }).toMatchObject(appearance);
});
