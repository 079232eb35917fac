import { version } from "../../package.json";

/** Name, title and version as told to clients and registries. */
export const SERVER = { name: "overprint", title: "Overprint", version };
