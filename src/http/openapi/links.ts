import { answer, header, problems } from "./parts.ts";

/** The operations on links. */

const PDF = { "application/pdf": { schema: { type: "string", format: "binary" } } };

const ofTheFile = {
  ETag: header("Of the file, which never changes."),
  "Last-Modified": header("When it was made."),
  "Accept-Ranges": header("`bytes`: parts of it can be asked for with Range."),
  "Cache-Control": header("`private, no-cache`: the holder may end the link at any time."),
};
const ofTheBody = {
  ...ofTheFile,
  "Content-Disposition": header("An attachment, with the `filename` of the request."),
  "Content-Length": header("In bytes.", { type: "integer" }),
};

const asked = (name: string, description: string) => ({
  name,
  in: "header",
  required: false,
  schema: { type: "string" },
  description,
});

/** The parameters of a link. */
export const linkParameters = [
  { name: "id", in: "path", required: true, schema: { type: "string" }, description: "As in the link." },
  { name: "token", in: "query", required: true, schema: { type: "string" }, description: "As in the link." },
];

const TOO_MANY = { 429: "Too many links with a wrong token from this address in a minute." };
const refused = [
  "invalid_token",
  "file_not_found",
  "not_found",
  "link_expired",
  "too_many_requests",
  "not_configured",
  "internal_error",
] as const;

/** `GET` of a link. */
export const downloadOperation = {
  operationId: "downloadResult",
  tags: ["Links"],
  summary: "Download a result until it expires",
  description: "The link that a paid call gave. It needs no key; HEAD works as well.",
  security: [],
  parameters: [
    asked("Range", "The part of the file to send, as in bytes=0-1023."),
    asked("If-Range", "The ETag that the file must have for Range to count."),
    asked("If-None-Match", "The ETag of a copy that the caller has."),
    asked("If-Modified-Since", "The Last-Modified of such a copy."),
    asked("If-Match", "The ETag that the file must have."),
    asked("If-Unmodified-Since", "The Last-Modified that it must have, or an earlier one."),
  ],
  responses: {
    200: answer("The PDF.", { headers: ofTheBody, content: PDF }),
    206: answer("The part of it that Range asked for.", {
      headers: { ...ofTheBody, "Content-Range": header("Which part, and of how many bytes.") },
      content: PDF,
    }),
    304: answer("The copy that If-None-Match or If-Modified-Since names is current.", { headers: ofTheFile }),
    ...problems([...refused, "precondition_failed", "range_not_satisfiable"], {
      notes: TOO_MANY,
      headers: { 416: { "Content-Range": header("How many bytes it has, as in `bytes */18211`.") } },
    }),
  },
};

/** `DELETE` of a link. */
export const endOperation = {
  operationId: "endLink",
  tags: ["Links"],
  summary: "End a link before it expires",
  description: "Its file is deleted at once, and the payment gives no other.",
  security: [],
  responses: { 204: answer("It has ended."), ...problems(refused, { notes: TOO_MANY }) },
};
