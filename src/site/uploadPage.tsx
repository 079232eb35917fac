import { IMAGE_FORMATS } from "../engine/index.ts";
import type { UploadRecord } from "../storage/uploads.ts";
import { Document } from "./document.tsx";
import { Masthead } from "./frame.tsx";

/** File types that the browser's file dialog offers. */
const ACCEPTED = {
  pdf: "application/pdf,.pdf",
  image: IMAGE_FORMATS.map((format) => `image/${format.toLowerCase()}`).join(),
};

/** The page at an upload URL, where a person chooses the file to upload. `web/upload.ts` is its client script. */
export function UploadPage({ upload: { name, type, size, maxBytes, expires, file } }: { upload: UploadRecord }) {
  const what = type === "pdf" ? "PDF" : "image";
  return (
    <Document
      title={`Overprint: ${file ? "upload complete" : `upload the ${what}`}`}
      description="Upload a file."
      styles="reading"
      script="/assets/upload.js"
      unlisted
    >
      <Masthead />
      <main class="problem">
        {file ? (
          <div>
            <h1>Upload complete.</h1>
            <p class="lead">Return to your chat to continue.</p>
          </div>
        ) : (
          <div>
            <h1>Upload the {what}.</h1>
            <p class="lead">
              Your assistant needs {name ? <b>{name}</b> : <>this {what}</>} to make a watermarked PDF. The file is
              stored until <time datetime={new Date(expires).toISOString()}>{clock(expires)} UTC</time>. The assistant
              receives the result, so upload only a file that it may see.
            </p>
            <p class="sending" data-size={size} data-max-bytes={maxBytes}>
              <input type="file" id="file" accept={ACCEPTED[type]} aria-label={`Choose the ${what}`} disabled />
              <progress id="progress" max={1} value={0} aria-label="Upload progress" hidden />
            </p>
            <p id="status" class="advice" role="status">
              This page needs JavaScript to upload the file.
            </p>
          </div>
        )}
      </main>
    </Document>
  );
}

/** Formats a time (Unix milliseconds) as hours and minutes in UTC. */
function clock(time: number): string {
  return new Date(time).toISOString().slice(11, 16);
}
