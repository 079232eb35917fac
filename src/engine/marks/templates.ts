import type { Position, TemplateName } from "../../schemas.ts";
import type { Weight } from "../fonts/coverage.ts";

/** How a text mark looks unless the request says otherwise. */
export interface Template {
  description: string;
  position: Position;
  /** Degrees, where the template has a turn of its own; a diagonal follows the page's. */
  rotation?: number;
  weight: Weight;
  color: string;
  /** The largest font size, as a share of the page's shorter side. */
  sizeShare: number;
  /** Letters drawn as outlines. */
  hollow?: true;
  /** A frame around the text. */
  framed?: true;
}

export const TEMPLATE: Record<TemplateName, Template> = {
  diagonal: {
    description: "Large letters across the page, from its lower left to its upper right.",
    position: "diagonal",
    weight: "bold",
    color: "#404040",
    sizeShare: 0.26,
  },
  horizontal: {
    description: "Large level letters in the middle of the page.",
    position: "center",
    weight: "bold",
    color: "#404040",
    sizeShare: 0.26,
  },
  tiled: {
    description: "Small slanted copies all over the page, past its edges.",
    position: "tile",
    rotation: 30,
    weight: "regular",
    color: "#404040",
    sizeShare: 0.035,
  },
  header: {
    description: "One small line at the top.",
    position: "top",
    weight: "regular",
    color: "#404040",
    sizeShare: 0.024,
  },
  footer: {
    description: "One small line at the bottom.",
    position: "bottom",
    weight: "regular",
    color: "#404040",
    sizeShare: 0.024,
  },
  stamp: {
    description: "A framed red stamp, slightly turned, in the upper right corner.",
    position: "top-right",
    rotation: 12,
    weight: "bold",
    color: "#c62828",
    sizeShare: 0.05,
    framed: true,
  },
  sidebar: {
    description: "One line up the left edge.",
    position: "left",
    rotation: 90,
    weight: "regular",
    color: "#404040",
    sizeShare: 0.028,
  },
  outline: {
    description: "Large hollow letters across the page.",
    position: "diagonal",
    weight: "bold",
    color: "#404040",
    sizeShare: 0.26,
    hollow: true,
  },
};

/** Away from the middle of the page even a large template's text keeps to this share of the shorter side. */
const EDGE_SIZE_SHARE = 0.06;

/** A template with the request's own wishes laid over it: what the text mark is made from. */
export interface Look extends Template {
  /** Degrees; undefined follows the page's diagonal. */
  rotation?: number;
}

/** Applies what the request says for itself. A position of its own makes the text level, unless a rotation was fixed. */
export function lookOf(request: {
  template: TemplateName;
  position?: Position | undefined;
  rotation?: number | undefined;
  color?: string | undefined;
}): Look {
  const template = TEMPLATE[request.template];
  const position = request.position ?? template.position;
  const rotation = request.rotation ?? template.rotation ?? (position === "diagonal" ? undefined : 0);
  const inTheMiddle = position === "diagonal" || position === "center";
  return {
    ...template,
    position,
    color: request.color ?? template.color,
    sizeShare: inTheMiddle ? template.sizeShare : Math.min(template.sizeShare, EDGE_SIZE_SHARE),
    ...(rotation !== undefined && { rotation }),
  };
}
