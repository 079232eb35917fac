import type { Problem } from "../shared/problems.ts";
import type { MalformedFile } from "./inlineFile.ts";
import { ReceivedFile } from "./receivedFile.ts";
import { Upload } from "./upload.ts";

/** A file in a request that could not be received. What is wrong is told to who opens it, who knows which one it is. */
export class RefusedUpload extends Upload {
  readonly reason: Problem | MalformedFile;

  constructor(reason: Problem | MalformedFile) {
    super(new ReceivedFile(new Uint8Array()), "");
    this.reason = reason;
  }
}
