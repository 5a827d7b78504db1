import { partsOf } from "../stacks/files.ts";
import type { StackFrame } from "../stacks/frame.ts";
import { readable } from "./readable.ts";

/** The frames of a stack that are searched, and the length of a name. */
const framesMax = 40;
const nameLengthMax = 120;
const textLengthMax = 4_000;

/**
 * The search text of a stack: a line for each file and each function, without the parts that differ between builds.
 * Empty for no stack.
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

/** A PostgreSQL regular expression for stacks with a file or function whose name contains a text. */
export const namedInStack = (what: "file" | "function", text: string): string =>
  `(^|\\n)${what}:[^\\n]*${text.replace(/[^\p{L}\p{N}]/gu, String.raw`\$&`)}`;
