import { answer, header, problems } from "./parts.ts";

const PDF = { "application/pdf": { schema: { type: "string", format: "binary" } } };

const fileHeaders = {
  ETag: header("Identifies the content of the file, which never changes."),
  "Last-Modified": header("When the file was created."),
  "Accept-Ranges": header("`bytes`: the download supports Range requests."),
  "Cache-Control": header("`private, no-cache`: the holder may revoke the link at any time."),
};
const bodyHeaders = {
  ...fileHeaders,
  "Content-Disposition": header("`attachment`, with the `filename` of the request."),
  "Content-Length": header("Size in bytes.", { type: "integer" }),
};

const requestHeader = (name: string, description: string) => ({
  name,
  in: "header",
  required: false,
  schema: { type: "string" },
  description,
});

/** The parameters of a download link. */
export const linkParameters = [
  { name: "id", in: "path", required: true, schema: { type: "string" }, description: "The file id from the link." },
  {
    name: "token",
    in: "query",
    required: true,
    schema: { type: "string" },
    description: "The secret token from the link.",
  },
];

const TOO_MANY = { 429: "This address sent too many links with a wrong token within a minute." };
const failures = [
  "invalid_token",
  "file_not_found",
  "not_found",
  "link_expired",
  "too_many_requests",
  "not_configured",
  "internal_error",
] as const;

/** The operation `GET` of a download link. */
export const downloadOperation = {
  operationId: "downloadResult",
  tags: ["Links"],
  summary: "Download result",
  description:
    "Downloads the result of a paid call until its link expires. The link needs no other credential. HEAD works too.",
  security: [],
  parameters: [
    requestHeader("Range", "The byte range to return, such as bytes=0-1023."),
    requestHeader("If-Range", "Applies Range only if the file has this ETag."),
    requestHeader("If-None-Match", "The ETag of the caller's cached copy. If it is current, the response is a 304."),
    requestHeader(
      "If-Modified-Since",
      "The Last-Modified date of the caller's cached copy. If it is current, the response is a 304.",
    ),
    requestHeader("If-Match", "The ETag that the file must have. Otherwise the response is a 412."),
    requestHeader(
      "If-Unmodified-Since",
      "The latest Last-Modified date that the file may have. If the file is newer, the response is a 412.",
    ),
  ],
  responses: {
    200: answer("The PDF.", { headers: bodyHeaders, content: PDF }),
    206: answer("The requested part of the PDF.", {
      headers: { ...bodyHeaders, "Content-Range": header("The returned byte range and the total size.") },
      content: PDF,
    }),
    304: answer("The caller's cached copy is current.", { headers: fileHeaders }),
    ...problems([...failures, "precondition_failed", "range_not_satisfiable"], {
      notes: TOO_MANY,
      headers: { 416: { "Content-Range": header("The total size in bytes, as in `bytes */18211`.") } },
    }),
  },
};

/** The operation `DELETE` of a download link. */
export const revokeOperation = {
  operationId: "endLink",
  tags: ["Links"],
  summary: "Revoke link",
  description:
    "Revokes the link and deletes its file at once. The payment for this file cannot be used for another result.",
  security: [],
  responses: { 204: answer("The link was revoked."), ...problems(failures, { notes: TOO_MANY }) },
};
