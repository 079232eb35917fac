import { FILES } from "../storage/link.ts";

/** `/robots.txt`: robots may read everything except callers' files. */
export const ROBOTS = `User-agent: *\nDisallow: ${FILES}/\n`;
