import { IMAGE_FORMATS } from "../engine/index.ts";
import type { UploadRecord } from "../storage/uploads.ts";
import { Document } from "./document.tsx";
import { Masthead } from "./frame.tsx";

/** What a browser lets one choose. */
const ACCEPTED = {
  pdf: "application/pdf,.pdf",
  image: IMAGE_FORMATS.map((format) => `image/${format.toLowerCase()}`).join(),
};

/** The page on which somebody chooses the file that a program has asked for: `web/upload.ts` sends it. */
export function UploadPage({ slot: { name, type, size, maxBytes, expires, file } }: { slot: UploadRecord }) {
  const what = type === "pdf" ? "PDF" : "image";
  return (
    <Document
      title={`Overprint: ${file ? "the file is here" : `send the ${what}`}`}
      description="Send a file."
      styles="reading"
      script="/assets/upload.js"
      unlisted
    >
      <Masthead />
      <main class="problem">
        {file ? (
          <div>
            <h1>The file is here.</h1>
            <p class="lead">Go back to where you came from: it can be marked now.</p>
          </div>
        ) : (
          <div>
            <h1>Send the {what}.</h1>
            <p class="lead">
              {name ? (
                <>
                  An assistant asks for <b>{name}</b>
                </>
              ) : (
                <>An assistant asks for the {what}</>
              )}
              , to mark it. It is kept until{" "}
              <time datetime={new Date(expires).toISOString()}>{clock(expires)} UTC</time>, and whoever asks for it gets
              a marked copy: send nothing that is not for them.
            </p>
            <p class="sending" data-size={size} data-max-bytes={maxBytes}>
              <input type="file" id="file" accept={ACCEPTED[type]} aria-label={`The ${what}`} disabled />
              <progress id="progress" max={1} value={0} aria-label="Sent" hidden />
            </p>
            <p id="status" class="advice" role="status">
              This page needs JavaScript to send it.
            </p>
          </div>
        )}
      </main>
    </Document>
  );
}

/** Returns hours and minutes of a time (Unix milliseconds). */
function clock(time: number): string {
  return new Date(time).toISOString().slice(11, 16);
}
