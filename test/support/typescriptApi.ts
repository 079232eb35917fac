import { ts } from "@ts-morph/common";

/** The JavaScript API of TypeScript, which openapi-typescript needs and TypeScript 7 lacks. */
export default ts;
