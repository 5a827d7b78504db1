import Type from "typebox";
import { errorMessages } from "./errors.ts";

/** Body of every answer that is not a success (interface section 7). Some codes add fields of their own. */
export const ErrorBody = Type.Object(
  {
    error: Type.Enum(Object.keys(errorMessages), { description: "What went wrong; match on this." }),
    message: Type.String({ description: "The same for a person." }),
    details: Type.Optional(
      Type.Array(
        Type.Object({
          path: Type.String({ description: "JSON Pointer to the value at fault; empty for the whole body." }),
          message: Type.String({ description: "What to do about it." }),
        }),
      ),
    ),
    required: Type.Optional(Type.String({ description: "With insufficient_scope: the permission that is missing." })),
    requestId: Type.Optional(Type.String({ description: "With internal_error: what to look for in the log." })),
  },
  { description: "An error." },
);
