/** A place in code, in the same form for all languages. Unknown fields are null. */
export type Place = {
  function: string | null;
  /** The class, package, module or binary of the function, if the stack names it separately. */
  module: string | null;
  /** The file or address; null for native code. */
  file: string | null;
  line: number | null;
  column: number | null;
};

/** Source lines around a frame. */
export type SourceLines = { before: string[]; line: string; after: string[] };

/** A frame of a stack. */
export type StackFrame = Place & {
  /** The text of the frame, as sent, or one made of its fields. */
  raw: string;
  /** Whether the frame belongs to the app, not to a library or the platform. */
  isOwn: boolean;
  /** Whether function, file, line and column were mapped through a source map or mapping file. */
  isMapped: boolean;
  /** Whether the call was asynchronous: what follows is the place that started it. */
  isAsync: boolean;
  context: SourceLines | null;
};

/**
 * An error of a chain, with its frames, innermost first. Type and message are null if only the frames were sent. A
 * member is an error of a group other than the first.
 */
export type ErrorPart = { type: string | null; message: string | null; frames: StackFrame[]; isMember?: boolean };

/** Another thread, goroutine or task, with its frames, innermost first. */
export type Thread = { name: string; frames: StackFrame[] };

/** The languages whose stacks are read. */
export type LanguageName =
  | "javascript"
  | "jvm"
  | "python"
  | "go"
  | "ruby"
  | "php"
  | "swift"
  | "dart"
  | "dotnet"
  | "rust"
  | "elixir";

/** The parsed stack: the errors of its chain, outermost first, and other threads. */
export type StackText = { parts: ErrorPart[]; threads: Thread[] };

/** How the stacks of one language are read and compared. */
export type Language = {
  name: LanguageName;
  /** Whether a line is a frame as this language writes it. */
  isFrame: (line: string) => boolean;
  read: (lines: readonly string[]) => StackText;
  /** Whether a place is in the app, not in a library or the platform. */
  isOwn: (place: Place) => boolean;
  /** The name of a place that stays the same in every build and on every machine; null for one that says nothing. */
  identify: (place: Place, root: string | null) => string | null;
};

/** Creates a frame from what a line contains. */
export function makeFrame(raw: string, place: Partial<Place>, isOwn: boolean, isAsync = false): StackFrame {
  const { function: name = null, module = null, file = null, line = null, column = null } = place;
  return {
    raw: raw.trim(),
    function: name,
    module,
    file,
    line,
    column,
    isOwn,
    isMapped: false,
    isAsync,
    context: null,
  };
}

/** A line or column number; null for none. */
export const numberOf = (digits: string | undefined): number | null =>
  digits === undefined || digits === "" ? null : Number(digits);

/** Splits `file:line` or `file:line:column`. */
export function splitPlace(text: string): { file: string; line: number | null; column: number | null } {
  const [, file = text, first, second] = /^(.+?)(?::(\d{1,9}))?(?::(\d{1,9}))?$/.exec(text) ?? [];
  return { file, line: numberOf(first), column: numberOf(second) };
}

/**
 * Splits `Type: message`, as most languages begin an error; the type is null if the line does not begin with a name.
 */
export function splitHeader(text: string): { type: string | null; message: string } {
  const [, type, message = ""] = /^([\w$.\\/:<>`*]*[\w$>*])(?:$|:(?:\s+(.*))?$)/s.exec(text.slice(0, 2_000)) ?? [];
  return type === undefined ? { type: null, message: text } : { type, message };
}
