import type { Envelope } from "@lodge/contract/envelope";
import { projectOf } from "../stacks/files.ts";
import type { ErrorPart, Language, StackFrame } from "../stacks/frame.ts";
import { normaliseFile, normaliseFunction, sameWording } from "../stacks/languages/javascript.ts";
import { isComprehension } from "../stacks/languages/python.ts";
import { wordingOfRuby } from "../stacks/languages/ruby.ts";
import { normaliseMessage } from "../stacks/normalise-message.ts";
import { type ReadError, readError } from "../stacks/read-error.ts";
import { languageNamed } from "../stacks/read-stack.ts";
import { type Grouping, groupedLengthMax, grouping } from "./grouping.ts";
import { readable } from "./readable.ts";

/** The version of the rules. Problems that an older version created stay as they are. */
const version = 2;

/** The frames that are compared. Chromium reports at most ten, some of which may belong to libraries. */
const framesMax = 8;
/** The frames of an error that are searched for the app's own. */
const lookedAtMax = 300;
const isDefault = (text: string) => /^\{\{ ?default ?\}\}$/.test(text);

/**
 * The grouping of a report (docs/decisions/problems.md). Undefined for a report that is not grouped: feedback,
 * questions, and reports without an error, a crash or a fingerprint. The first rule that applies decides: the app's own
 * fingerprint; the type of the root cause with the app's own frames, with its first frame, or with its message.
 */
export function groupReport(
  envelope: Partial<Envelope>,
  read: ReadError = readError(envelope, groupedLengthMax),
): Grouping | undefined {
  const { kind = "bug", fingerprint = [] } = envelope;
  if (kind === "feedback" || kind === "question") return undefined;
  if (fingerprint.every(isDefault)) return groupByDefault(envelope, read);
  const strings = fingerprint.flatMap((text) =>
    isDefault(text) ? (groupByDefault(envelope, read)?.strings ?? []) : [text],
  );
  return grouping(version, "fingerprint", strings);
}

function groupByDefault({ kind, error, title, message }: Partial<Envelope>, read: ReadError): Grouping | undefined {
  if (!error) {
    const said = normaliseMessage(title ?? message ?? "");
    return kind === "crash" ? grouping(version, "message", ["crash", said]) : undefined;
  }
  const language = languageNamed(read.language);
  const root = rootOf(read);
  const type = typeOf(root, error, language);
  const said = normaliseMessage(sameWording(wordingOfRuby(root.message ?? error.message)));
  const own = ownStrings(read, language);
  if (own.strings.length > 0) {
    const isDistinct = own.isNamed && !isGeneric(root.type ?? error.type, language);
    const frames = isOverflow(type, root.message ?? error.message) ? own.repeated : own.strings;
    return grouping(version, "own_frames", [type, ...(isDistinct ? [] : [lastOf(said, language)]), ...frames]);
  }
  const first = firstFrame(read, language, root);
  if (first !== undefined) return grouping(version, "first_frame", [type, first]);
  return grouping(version, "message", [type, said]);
}

/** The error at the root of a chain of causes. */
function rootOf({ parts }: ReadError): ErrorPart {
  return parts.findLast(({ isMember }) => !isMember) ?? { type: null, message: null, frames: [] };
}

/**
 * The error whose frames show where the app failed: the root cause, or the error nearest to it that has frames of the
 * app.
 */
export function culpritPart(read: ReadError): ErrorPart {
  const chain = read.parts.filter(({ isMember }) => !isMember);
  return (
    chain.findLast(({ frames }) => frames.some(({ isOwn }) => isOwn)) ??
    chain.findLast(({ frames }) => frames.length > 0) ??
    rootOf(read)
  );
}

/** Where an error happened, for people: the topmost frame of the app. */
export function culpritOf(read: ReadError): string | null {
  const { frames } = culpritPart(read);
  const frame =
    frames.find(({ isOwn }) => isOwn) ?? frames.find(({ file, function: name }) => file !== null || name !== null);
  if (!frame) return null;
  const language = languageNamed(read.language);
  if (!language || language.name === "javascript") {
    const file = normaliseFile(frame.file ?? "");
    const name = normaliseFunction(frame.function);
    return readable((name === "" ? file : `${name} (${file})`).slice(0, 200)) || null;
  }
  const name = (language.identify(frame, null) ?? frame.function ?? "").replace(/@.*$/, "");
  const file = (frame.file ?? "").split(/[\\/]/).slice(-2).join("/");
  return readable((name === "" ? file : file === "" ? name : `${name} (${file})`).slice(0, 200)) || null;
}

/**
 * The type of an error without its package. If many errors share the type, the part of the message that distinguishes
 * them.
 */
function typeOf({ type, message }: ErrorPart, error: NonNullable<Envelope["error"]>, language?: Language): string {
  const sent = (type ?? (message === null ? error.type : normaliseMessage(message)))
    .slice(0, 200)
    .replace(/^Uncaught /, "");
  const [code] = /^Minified React error #\d+/.exec(message ?? error.message) ?? [];
  if (code !== undefined) return code;
  const [panicked] = panics.exec(message ?? error.message) ?? [];
  if (panicked !== undefined && /^(?:panic|fatal error|runtime error|runtime\.\w+|\*runtime\.\w+)$/.test(sent))
    return panicked;
  const bare = /^[\w$.\\:]+$/.test(sent) ? (sent.split(/[.\\:]/).at(-1) ?? sent) : sent;
  if (language?.name === "swift") return trapOf(bare);
  // The types that Dart's runtime throws are private, and one of them was renamed.
  if (language?.name === "dart") return bare.replace(/^_/, "").replace(/^CastError$/, "TypeError");
  return bare === "InternalError" ? "RangeError" : bare;
}

/** One name for each processor trap, which phones, simulators and Swift name differently. */
function trapOf(type: string): string {
  const [named = type] = /^EXC_\w+/.exec(type) ?? [];
  if (/^(?:EXC_BAD_INSTRUCTION|SIGTRAP|SIGILL|Fatal error|Swift runtime failure.*)$/i.test(named))
    return "EXC_BREAKPOINT";
  if (/^(?:SIGSEGV|SIGBUS)$/.test(named)) return "EXC_BAD_ACCESS";
  return named === "SIGABRT" ? "EXC_CRASH" : named;
}

/** The panic messages of Go and Rust, where all panics have the same type. */
const panics =
  /\b(?:index out of (?:range|bounds)|slice bounds out of range|nil pointer dereference|integer divide by zero|assignment to entry in nil map|(?:send on|close of) \w+ channel|all goroutines are asleep|interface conversion|(?:Option|Result)::\w+|attempt to \w+|assertion|not (?:yet )?implemented|unreachable code|already borrowed|already mutably borrowed)\b/;

/** Whether a type tells nothing about the error: in Go and Rust most errors have the same one. */
const isGeneric = (type: string, language: Language | undefined) =>
  (language?.name === "go" && /^\*?(?:fmt\.wrapErrors?|errors\.\w+|error)$/.test(type)) ||
  (language?.name === "rust" && /^(?:anyhow::)?Error$/.test(type));

/** In Go each wrapper prefixes the message of the error that it wraps. */
const lastOf = (message: string, language: Language | undefined) =>
  language?.name === "go" ? (message.split(": ").at(-1) ?? message) : message;

const isOverflow = (type: string, message: string) =>
  /^(?:StackOverflow(?:Error|Exception)|RecursionError|SystemStackError)$/.test(type) ||
  /^(?:Maximum call stack|too much recursion|stack overflow)/.test(message);

/**
 * The app's own frames of the root cause, followed by the callers of that code from the errors it caused. If the root
 * cause has none, starts with the nearest error that does. `repeated` are the frames of a recursion, sorted, so that it
 * does not matter where the recursion ended.
 */
function ownStrings({ parts }: ReadError, language: Language | undefined) {
  const chain = parts.filter(({ isMember }) => !isMember).toReversed();
  const files = parts.flatMap(({ frames }) => frames.slice(0, lookedAtMax).map(({ file }) => file));
  const project = projectOf(files);
  let frames: StackFrame[] = [];
  let all: string[] = [];
  for (const part of chain) {
    const own = ownFrames(part, language, part === chain[0]);
    const strings = own.flatMap((frame) => language?.identify(frame, project) ?? []);
    if (all.length === 0) {
      if (frames.length === 0) frames = own;
      all = strings;
    } else {
      const shared = strings.indexOf(all.at(-1) ?? "");
      if (shared >= 0) all = [...all, ...strings.slice(shared + 1)];
    }
  }
  const strings = [...new Set(all)];
  const repeated = strings.filter((text) => all.indexOf(text) !== all.lastIndexOf(text)).sort();
  const [top] = frames;
  const isNamed = top !== undefined && (language?.identify(top, project) ?? null) !== null;
  // In minified code without function names, only the file distinguishes places of a bundle.
  const fileOnly = strings.length === 0 && top?.file ? [`@${normaliseFile(top.file, project)}`] : [];
  const kept = strings.length > 0 ? strings : fileOnly;
  return {
    strings: kept.slice(0, framesMax),
    repeated: (repeated.length > 0 ? repeated : kept).slice(0, framesMax),
    isNamed,
  };
}

/**
 * The app's own frames. In JavaScript and on the JVM they end at an asynchronous call, since engines report differently
 * what follows. If a single frame of the root cause is left, its caller is added in Node.
 */
function ownFrames({ frames }: ErrorPart, language: Language | undefined, isRoot: boolean): StackFrame[] {
  const looked = frames.slice(0, lookedAtMax);
  const all = looked.filter(({ isOwn }) => isOwn);
  if (language?.name === "python") return all.filter(({ function: name }) => !isComprehension(name));
  const isCut = language?.name === "javascript" || language?.name === "jvm";
  const end = isCut ? looked.findIndex(({ isAsync }, index) => isAsync && index > 0) : -1;
  if (end < 0) return all;
  const own = looked.slice(0, end).filter(({ isOwn }) => isOwn);
  return isRoot && own.length === 1 && looked.some(isOfNode) ? all.slice(0, 2) : own;
}

/** Whether a JavaScript frame is in a file on disk, not in a bundle that a browser or an app has loaded. */
const isOfNode = ({ file }: StackFrame) =>
  /^(?:node:|(?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]))/.test(file ?? "") && !/\.(?:js)?bundle$/.test(file ?? "");

/** The first frame, whoever owns it. Not for phones, since it differs between versions of their systems. */
function firstFrame({ parts }: ReadError, language: Language | undefined, root: ErrorPart): string | undefined {
  if (!language || ["jvm", "swift", "dart"].includes(language.name)) return undefined;
  const chain = [root, ...parts.filter((part) => part !== root).toReversed()];
  for (const { frames } of chain) {
    const frame = frames.find(
      ({ file, function: name }) => file !== null || (name !== null && language.name !== "javascript"),
    );
    if (!frame) continue;
    if (language.name === "javascript")
      return `${normaliseFunction(frame.function)}@${normaliseFile(frame.file ?? "")}`;
    const text = language.identify(frame, null);
    if (text !== null) return text;
  }
  return undefined;
}
