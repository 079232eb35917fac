import { ts } from "@ts-morph/common";

/** TypeScript's JavaScript API, which openapi-typescript uses and TypeScript 7 lacks. */
export default ts;
