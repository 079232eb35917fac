import type { Problem } from "../shared/problems.ts";
import type { MalformedFile } from "./inlineFile.ts";
import { ReceivedFile } from "./receivedFile.ts";
import { Upload } from "./upload.ts";

/**
 * A file in a request that could not be received. Opening the file throws the reason. The error is deferred because
 * only the code that opens the file knows the name of the file's field.
 */
export class RefusedUpload extends Upload {
  readonly reason: Problem | MalformedFile;

  constructor(reason: Problem | MalformedFile) {
    super(new ReceivedFile(new Uint8Array()), "");
    this.reason = reason;
  }
}
