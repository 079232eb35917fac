import { ts } from "@ts-morph/common";

/** TypeScript's JavaScript API. openapi-typescript uses this API, which TypeScript 7 lacks. */
export default ts;
