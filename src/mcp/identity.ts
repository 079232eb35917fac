import { version } from "../../package.json";

/** The name, title and version that clients and registries are told. */
export const SERVER = { name: "overprint", title: "Overprint", version };
