import Type from "typebox";
import { causesMax, framesMax } from "./limits.ts";

const EnvelopeFrame = Type.Object({
  function: Type.Optional(Type.String()),
  module: Type.Optional(Type.String()),
  file: Type.Optional(Type.String()),
  line: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "Counted from 1." })),
  column: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: "Counted from 1." })),
  inApp: Type.Optional(
    Type.Boolean({
      description: "Whether the frame belongs to the app. By default, Lodge decides by module and file.",
    }),
  ),
  context: Type.Optional(
    Type.Object(
      { before: Type.Array(Type.String()), line: Type.String(), after: Type.Array(Type.String()) },
      { description: "The source lines before, at and after the frame's line." },
    ),
  ),
});

const errorFields = {
  type: Type.String(),
  message: Type.String(),
  stack: Type.Optional(Type.String({ description: "The stack in text, as the runtime writes it." })),
  frames: Type.Optional(
    Type.Array(EnvelopeFrame, {
      maxItems: framesMax,
      description: "The frames, the innermost call first. They are used instead of `stack`.",
    }),
  ),
};

/** The error of a report, with the errors that caused it. */
export const EnvelopeError = Type.Object({
  ...errorFields,
  causes: Type.Optional(
    Type.Array(Type.Object(errorFields), {
      maxItems: causesMax,
      description: "The errors that caused it, outermost first: the last one is the root cause.",
    }),
  ),
});
