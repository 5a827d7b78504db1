import type { ErrorCause, EventDetails, Frame } from "@lodge/contract/dashboard/inbox";
import type { Envelope } from "@lodge/contract/envelope";
import type { StackFrame } from "../stacks/frame.ts";
import type { ReadError } from "../stacks/read-error.ts";
import { stackLengthMax } from "../stacks/read-stack.ts";
import { culpritPart } from "./group-report.ts";
import { readable } from "./readable.ts";

const framesMax = 200;
const threadsMax = 50;
const threadFramesMax = 50;
const messageLengthMax = 20_000;
const sourceLineLengthMax = 500;
const sourceLinesMax = 10;

/** An event's error with its chain and the other threads, in the form that pages and the API show. */
export function shownError(
  error: NonNullable<Envelope["error"]>,
  read: ReadError,
  cut: (text: string, lengthMax?: number) => string,
): NonNullable<EventDetails["error"]> {
  const [outer, ...causes] = read.parts;
  const culpritFrames = culpritPart(read).frames;
  const culprit = culpritFrames.find(({ isOwn }) => isOwn) ?? culpritFrames[0];
  const shown = (frames: readonly StackFrame[], countMax: number) => ({
    frames: frames.slice(0, countMax).map((frame) => shownFrame(frame, frame === culprit)),
    frameCount: frames.length,
  });
  const toCause = ({ type, message, frames, isMember = false }: (typeof causes)[number]): ErrorCause => ({
    type: type === null ? null : cut(readable(type)),
    message: message === null ? null : cut(readable(message), messageLengthMax).slice(0, messageLengthMax),
    isMember,
    ...shown(frames, framesMax),
  });
  return {
    type: cut(error.type),
    message: cut(error.message, messageLengthMax),
    stack: error.stack?.slice(0, stackLengthMax).toWellFormed() ?? null,
    ...shown(outer?.frames ?? [], framesMax),
    causes: causes.map(toCause),
    threads: read.threads
      .slice(0, threadsMax)
      .map(({ name, frames }) => ({ name: readable(name), ...shown(frames, threadFramesMax) })),
    language: read.language ?? null,
    isNewestLast: read.language === "python",
  };
}

/** A frame in the form that pages and the API show. */
export function shownFrame(frame: StackFrame, isCulprit = false): Frame {
  const { raw, function: name, module, file, line, column, isOwn, isMapped, isAsync, context } = frame;
  const lines = (texts: readonly string[]) => texts.map((text) => readable(text.slice(0, sourceLineLengthMax)));
  return {
    raw: readable(raw),
    function: name && readable(name),
    module: module && readable(module),
    file: file && readable(file),
    line,
    column,
    isOwn,
    isMapped,
    isAsync,
    isCulprit,
    context: context && {
      before: lines(context.before.slice(-sourceLinesMax)),
      line: lines([context.line])[0] ?? "",
      after: lines(context.after.slice(0, sourceLinesMax)),
    },
  };
}
