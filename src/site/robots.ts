import { FILES } from "../storage/link.ts";

/** `/robots.txt`: everything may be read but callers' files. */
export const ROBOTS = `User-agent: *\nDisallow: ${FILES}/\n`;
