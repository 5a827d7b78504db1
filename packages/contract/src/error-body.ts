import Type, { type TProperties, type TSchema } from "typebox";
import { type ErrorCode, errorMessages } from "./errors.ts";

const details = Type.Array(
  Type.Object({
    path: Type.String({ description: "JSON Pointer to the value at fault; empty for the whole body." }),
    message: Type.String({ description: "What to do about it." }),
  }),
  { description: "What to mend, at most 8 of it." },
);
const partName = Type.String({ description: "The part at fault." });

/** What the bodies of some codes carry beside `error` and `message` (interface section 7). */
const fieldsOf: Partial<Record<ErrorCode, TProperties>> = {
  invalid_input: { details },
  schema_validation_failed: { details },
  insufficient_scope: { required: Type.String({ description: "The permission that the token lacks." }) },
  org_suspended: {
    reason: Type.Literal("over_allowance"),
    since: Type.String({ format: "date", description: "The day on which the organisation went over its limit." }),
  },
  text_changed: {
    current: Type.Object({
      title: Type.String({ description: "The title as it is now." }),
      description: Type.String({ description: "The description as it is now." }),
    }),
  },
  log_gap: { length: Type.Integer({ description: "The offset of the next entry." }) },
  attachment_missing: { partName },
  attachment_unexpected: { partName },
  sha256_mismatch: { partName },
  bytelength_mismatch: { partName },
  attachment_sha256_mismatch: { partName },
  internal_error: { requestId: Type.String({ description: "What to look for in the log." }) },
};

const bodyOf = (code: ErrorCode) =>
  Type.Object(
    {
      error: Type.Literal(code, { description: "What went wrong; match on this." }),
      message: Type.String({ description: "The same for a person." }),
      docs: Type.String({ description: "The address of the code's page: its cause, and what to do." }),
      ...fieldsOf[code],
    },
    { description: errorMessages[code] },
  );

/** The body of each answer that is not a success, by its code. Later versions may add fields. */
export const errorBodies = Object.fromEntries(
  Object.keys(errorMessages).map((code) => [code, bodyOf(code as ErrorCode)]),
) as Record<string, TSchema> as Record<ErrorCode, TSchema>;
