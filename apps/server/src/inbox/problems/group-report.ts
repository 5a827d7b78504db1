import { createHash } from "node:crypto";
import type { groupingRules } from "@lodge/contract/dashboard/inbox";
import type { Envelope } from "@lodge/contract/envelope";
import { uuidOfDigest } from "../../platform/hash-uuid.ts";
import { normaliseFile, normaliseFunction, normaliseMessage } from "../stacks/normalise.ts";
import { readStack, type StackFrame } from "../stacks/read-stack.ts";
import { readable } from "./readable.ts";

/** The version of the rules. A new one leaves the problems that an older one has made as they are. */
export const groupingVersion = 1;

/** Frames that count: Chromium tells no more than ten, some of which may be a library's. */
const framesMax = 8;

/** The frames that count stand at the beginning; what a report may cost the worker is bounded by this. */
export const groupedLengthMax = 65_536;

/** What makes reports one problem: the rule that applied, and exactly what was hashed. */
export type Grouping = { hash: string; rule: (typeof groupingRules)[number]; strings: string[] };

/**
 * By what a report is recognised (docs/decisions/problems.md); undefined for one that stands for itself: feedback,
 * questions, and what names neither an error nor a crash nor a fingerprint. Of the rules the first that applies counts:
 * the app's own fingerprint, the error's type with the app's own frames, with its first frame, with its message. The
 * frames are those of the report's stack, or where those come from.
 */
export function groupReport(
  { kind = "bug", fingerprint, error, title, message }: Partial<Envelope>,
  frames: readonly StackFrame[] = framesOf(error?.stack),
): Grouping | undefined {
  if (kind === "feedback" || kind === "question") return undefined;
  if (fingerprint && fingerprint.length > 0) return grouping("fingerprint", fingerprint);
  if (!error) {
    return kind === "crash" ? grouping("message", ["crash", normaliseMessage(title ?? message ?? "")]) : undefined;
  }
  const type = error.type.slice(0, 200).replace(/^Uncaught /, "");
  const own = untilAsync(frames.filter(({ isOwn }) => isOwn));
  // A minifier leaves nothing to tell one place of a bundle from another.
  const isNamed = own.some((frame) => normaliseFunction(frame.function) !== "");
  if (own.length > 0) {
    return grouping("own_frames", [type, ...(isNamed ? [] : [normaliseMessage(error.message)]), ...toStrings(own)]);
  }
  const [first] = toStrings(frames.filter(({ file }) => file !== null).slice(0, 1));
  if (first !== undefined) return grouping("first_frame", [type, first]);
  return grouping("message", [type, normaliseMessage(error.message)]);
}

/** The frames of a stack that count for what it is recognised by. */
export const framesOf = (stack = ""): StackFrame[] => readStack(stack.slice(0, groupedLengthMax));

/** Where an error happens, for people: the topmost frame of the app's own. */
export function culpritOf(frames: readonly StackFrame[]): string | null {
  const frame = frames.find(({ isOwn }) => isOwn) ?? frames.find(({ file }) => file !== null);
  if (!frame) return null;
  const file = normaliseFile(frame.file ?? "");
  const name = normaliseFunction(frame.function);
  return readable((name === "" ? file : `${name} (${file})`).slice(0, 200));
}

/** Without what follows an asynchronous call: Chromium and Firefox tell it, each in its own way, and Safari does not. */
function untilAsync(frames: StackFrame[]): StackFrame[] {
  const end = frames.findIndex(({ isAsync }, index) => isAsync && index > 0);
  return end < 0 ? frames : frames.slice(0, end);
}

/** Without neighbours that are the same: how deep a recursion went makes no difference. */
function toStrings(frames: StackFrame[]): string[] {
  const strings: string[] = [];
  for (const { function: name, file } of frames) {
    if (strings.length === framesMax) break;
    const text = `${normaliseFunction(name)}@${normaliseFile(file ?? "")}`;
    if (text !== strings.at(-1)) strings.push(text);
  }
  return strings;
}

function grouping(rule: Grouping["rule"], raw: string[]): Grouping {
  const strings = raw.map(readable);
  const digest = createHash("sha256")
    .update(JSON.stringify([groupingVersion, rule, ...strings]))
    .digest();
  return { hash: uuidOfDigest(digest), rule, strings };
}
