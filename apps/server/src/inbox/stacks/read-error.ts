import type { Envelope } from "@lodge/contract/envelope";
import type { ErrorPart, Language, LanguageName, StackFrame, Thread } from "./frame.ts";
import { languageNamed, languageOfFiles, languageOfPlatform, readStack } from "./read-stack.ts";

/** The parsed error of a report: the errors of its chain, outermost first, at least one. */
export type ReadError = { language: LanguageName | undefined; parts: readonly ErrorPart[]; threads: readonly Thread[] };

/** An empty result. */
export const noError: ReadError = { language: undefined, parts: [], threads: [] };

type SentError = NonNullable<Envelope["error"]>;
type SentFrame = NonNullable<SentError["frames"]>[number];

const partsMax = 20;
const threadsMax = 200;

/**
 * Reads the error of a report: its structured frames and causes if they were sent, else its stack text. `lengthMax`
 * limits how much of each text is read.
 */
export function readError({ error, platform }: Partial<Envelope>, lengthMax?: number): ReadError {
  if (!error) return noError;
  const sent = [error, ...(error.causes ?? [])];
  let language = sent.some(({ frames }) => frames && frames.length > 0)
    ? (languageOfPlatform(platform) ??
      languageOfFiles(sent.flatMap(({ frames = [] }) => frames.flatMap(({ file = [] }) => file))))
    : undefined;
  const parts: ErrorPart[] = [];
  const threads: Thread[] = [];
  for (const one of sent) {
    if (one.frames && one.frames.length > 0) {
      parts.push({
        type: one.type,
        message: one.message,
        frames: one.frames.map((frame) => readFrame(frame, language)),
      });
      continue;
    }
    const read = readStack(one.stack ?? "", platform, lengthMax);
    language ??= languageNamed(read.language);
    threads.push(...read.threads);
    const [first, ...others] = read.parts;
    parts.push({ type: one.type, message: one.message, frames: first?.frames ?? [] });
    // Causes that were sent as fields are not read from the text again.
    if (!error.causes) parts.push(...others);
  }
  return { language: language?.name, parts: parts.slice(0, partsMax), threads: threads.slice(0, threadsMax) };
}

function readFrame(sent: SentFrame, language: Language | undefined): StackFrame {
  const { function: name = null, module = null, file = null, line = null, column = null, inApp, context = null } = sent;
  const place = { function: name, module, file, line, column };
  // Browser clients mark every frame as the app's; other clients know better than a rule.
  const byRule = language ? language.isOwn(place) : true;
  const isOwn = inApp === false ? false : inApp === true && language?.name !== "javascript" ? true : byRule;
  return { raw: rawOf(place), ...place, isOwn, isMapped: false, isAsync: false, context };
}

function rawOf({
  function: name,
  module,
  file,
  line,
  column,
}: Omit<StackFrame, "raw" | "isOwn" | "isMapped" | "isAsync" | "context">) {
  const called = [module !== null && !(name ?? "").includes(module) ? module : null, name].filter(Boolean).join(".");
  const where = [file, line, column].filter((part) => part !== null).join(":");
  return [called, where && `(${where})`].filter(Boolean).join(" ");
}
