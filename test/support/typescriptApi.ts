import { ts } from "@ts-morph/common";

/** The JavaScript API of TypeScript, which version 7 has no more: openapi-typescript writes with it. */
export default ts;
