import { partsOf } from "../stacks/files.ts";
import type { StackFrame } from "../stacks/frame.ts";
import { readable } from "./readable.ts";

/** The frames of a stack that are searched, and how much of a name. */
const framesMax = 40;
const nameLengthMax = 120;
const textLengthMax = 4_000;

/**
 * The searchable text of a stack: a line for each file and each function, without what differs from one build to the
 * next. Empty for no stack.
 */
export function stackText(frames: readonly StackFrame[]): string {
  const lines = new Set<string>();
  for (const { function: name, file } of frames.slice(0, framesMax)) {
    if (file !== null) lines.add(`file:${cut(partsOf(file).join("/"))}`);
    if (name !== null && name.length > 2) lines.add(`function:${cut(name)}`);
  }
  return [...lines].join("\n").slice(0, textLengthMax);
}

const cut = (name: string) => readable(name.slice(0, nameLengthMax)).replaceAll("\n", " ");

/** The pattern of a regular expression of PostgreSQL for what has a file, or a function, with a text in its name. */
export const namedInStack = (what: "file" | "function", text: string): string =>
  `(^|\\n)${what}:[^\\n]*${text.replace(/[^\p{L}\p{N}]/gu, String.raw`\$&`)}`;
