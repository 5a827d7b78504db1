import Type, { type TProperties, type TSchema } from "typebox";
import { type ErrorCode, errorCodes, errors } from "./errors.ts";

const details = Type.Array(
  Type.Object({
    path: Type.String({ description: "JSON Pointer to the invalid value. Empty for the whole body." }),
    message: Type.String({ description: "The error in the value." }),
  }),
  { description: "The invalid values, at most 8." },
);
const partName = Type.String({ description: "The name of the invalid part." });

/** The further fields in the bodies of some codes (interface section 7). */
const fieldsOf: Partial<Record<ErrorCode, TProperties>> = {
  invalid_input: { details },
  schema_validation_failed: { details },
  invalid_sentry_envelope: { details },
  invalid_csv: {
    details: Type.Array(
      Type.Object({
        path: Type.String({ description: "The line of the file, like `/lines/12`. Empty for the whole file." }),
        message: Type.String({ description: "The reason it is invalid." }),
      }),
      { description: "The invalid lines, at most 20." },
    ),
  },
  insufficient_scope: { required: Type.String({ description: "The missing permission." }) },
  org_suspended: {
    reason: Type.Literal("over_allowance"),
    since: Type.String({ format: "date", description: "The date since which reports have been refused." }),
  },
  text_changed: {
    current: Type.Object({
      title: Type.String({ description: "The current title." }),
      description: Type.String({ description: "The current description." }),
    }),
  },
  log_gap: { length: Type.Integer({ description: "The offset of the next entry." }) },
  attachment_missing: { partName },
  attachment_unexpected: { partName },
  sha256_mismatch: { partName },
  bytelength_mismatch: { partName },
  attachment_sha256_mismatch: { partName },
  internal_error: { requestId: Type.String({ description: "The id of the request in the server's log." }) },
};

/** The fields that the bodies of all codes have in common. */
export const ErrorBody = Type.Object(
  {
    message: Type.String({ description: "The error and what to do about it, for people. The wording may change." }),
    docs: Type.String({ description: "The URL of the error code's documentation." }),
  },
  { description: "The common fields of all error bodies." },
);

const bodyOf = (code: ErrorCode) =>
  Type.Intersect([ErrorBody, Type.Object({ error: Type.Literal(code), ...fieldsOf[code] })], {
    description: errors[code].message,
  });

/** The body of each error response, by code. Later versions may add fields. */
export const errorBodies = Object.fromEntries(errorCodes.map((code) => [code, bodyOf(code)])) as Record<
  string,
  TSchema
> as Record<ErrorCode, TSchema>;
