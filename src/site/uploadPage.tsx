import { IMAGE_FORMATS } from "../engine/index.ts";
import { UPLOADS } from "../settings/limits.ts";
import type { UploadRecord } from "../storage/uploads.ts";
import { Document } from "./document.tsx";
import { Masthead } from "./frame.tsx";

/** File types that the browser's file dialog offers. */
const ACCEPTED = {
  pdf: "application/pdf,.pdf",
  image: IMAGE_FORMATS.map((format) => `image/${format.toLowerCase()}`).join(),
};

/** The page at an upload URL, where a person chooses the file to upload. `web/upload.ts` is its client script. */
export function UploadPage({ upload, host }: { upload: UploadRecord; host: string }) {
  const { name, type, size, maxBytes, expires, file } = upload;
  const partBytes = maxBytes > UPLOADS.wholeBytes ? upload.partBytes : undefined;
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
              An assistant that you work with asked this service for {name ? <b>{name}</b> : <>a {what}</>}, to make a
              watermarked PDF. If you did not ask an assistant for that, close this page.
            </p>
            <ul class="steps">
              <li>The file is sent to this service, {host}, only when you confirm.</li>
              <li>
                It is stored until <time datetime={new Date(expires).toISOString()}>{clock(expires)} UTC</time>, and
                then deleted.
              </li>
              <li>The assistant gets the marked file. Upload only a file that it may see.</li>
            </ul>
            <form id="upload" class="sending" data-size={size} data-max-bytes={maxBytes} data-part-bytes={partBytes}>
              <input type="file" id="file" accept={ACCEPTED[type]} aria-label={`Choose the ${what}`} disabled />
              <button type="submit" id="confirm" class="button" hidden>
                Upload
              </button>
              <progress id="progress" max={1} value={0} aria-label="Upload progress" hidden />
            </form>
            <p id="status" class="outcome" role="status">
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
