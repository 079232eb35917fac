import { ts } from "@ts-morph/common";

/** The JavaScript API of TypeScript. openapi-typescript needs this API, and TypeScript 7 does not have it. */
export default ts;
