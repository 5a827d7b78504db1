import type { Envelope } from "@lodge/contract/envelope";
import { normaliseFile, normaliseFunction, normaliseMessage } from "../stacks/version-1/normalise.ts";
import { readStack, type StackFrame } from "../stacks/version-1/read-stack.ts";
import { type Grouping, groupedLengthMax, grouping } from "./grouping.ts";

// Version 1 of the grouping rules, so that new reports still match the problems it created.

const version = 1;
const framesMax = 8;

/** The frames of a stack as version 1 of the rules reads them. */
export const framesOfVersion1 = (stack = ""): StackFrame[] => readStack(stack.slice(0, groupedLengthMax));

/** The grouping of a report by version 1 of the rules (docs/decisions/problems.md). */
export function groupByVersion1(
  { kind = "bug", fingerprint, error, title, message }: Partial<Envelope>,
  frames: readonly StackFrame[],
): Grouping | undefined {
  if (kind === "feedback" || kind === "question") return undefined;
  if (fingerprint && fingerprint.length > 0) return grouping(version, "fingerprint", fingerprint);
  if (!error) {
    return kind === "crash"
      ? grouping(version, "message", ["crash", normaliseMessage(title ?? message ?? "")])
      : undefined;
  }
  const type = error.type.slice(0, 200).replace(/^Uncaught /, "");
  const own = beforeAsyncCall(frames.filter(({ isOwn }) => isOwn));
  // In minified code without function names, frames do not distinguish places of a bundle.
  const isNamed = own.some((frame) => normaliseFunction(frame.function) !== "");
  if (own.length > 0) {
    const strings = [type, ...(isNamed ? [] : [normaliseMessage(error.message)]), ...toStrings(own)];
    return grouping(version, "own_frames", strings);
  }
  const [first] = toStrings(frames.filter(({ file }) => file !== null).slice(0, 1));
  if (first !== undefined) return grouping(version, "first_frame", [type, first]);
  return grouping(version, "message", [type, normaliseMessage(error.message)]);
}

/**
 * Cuts the frames at an asynchronous call: Chromium and Firefox report what follows differently, and Safari not at all.
 */
function beforeAsyncCall(frames: readonly StackFrame[]): readonly StackFrame[] {
  const end = frames.findIndex(({ isAsync }, index) => isAsync && index > 0);
  return end < 0 ? frames : frames.slice(0, end);
}

/** Removes adjacent duplicates, so that the depth of a recursion makes no difference. */
function toStrings(frames: readonly StackFrame[]): string[] {
  const strings: string[] = [];
  for (const { function: name, file } of frames) {
    if (strings.length === framesMax) break;
    const text = `${normaliseFunction(name)}@${normaliseFile(file ?? "")}`;
    if (text !== strings.at(-1)) strings.push(text);
  }
  return strings;
}
