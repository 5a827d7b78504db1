import type { Envelope } from "@lodge/contract/envelope";
import type { Deps } from "../../platform/deps.ts";
import { findOriginals, noOriginals, type Originals } from "../source-maps/find-originals.ts";
import { retraceError } from "../source-maps/retrace-error.ts";
import type { ErrorPart, SourceLines } from "../stacks/frame.ts";
import { isOwnFile } from "../stacks/languages/javascript.ts";
import { type ReadError, readError } from "../stacks/read-error.ts";

/** The fields of a frame that a source map changes. */
type Bundled = {
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
  isAsync: boolean;
  context?: SourceLines | null;
};

/** Gives a report's error the type that it had before it was obfuscated. */
export function withOriginalType<Sent extends Partial<Envelope>>(envelope: Sent, { parts }: ReadError): Sent {
  const type = parts[0]?.type ?? null;
  const { error } = envelope;
  return error && type !== null && type !== error.type ? { ...envelope, error: { ...error, type } } : envelope;
}

/** The error of a report with mapped frames, and the source map lookups of its frames. */
export type OriginalError = { read: ReadError; originals: Originals };

/**
 * Reads the error of a report and maps its frames with the source maps and mapping files that its app has now.
 * `lengthMax` limits how much of a stack is read. With `wantsLines` it also reads the source lines around frames, if
 * the app allows it.
 */
export async function readOriginalError(
  deps: Deps,
  appId: string,
  envelope: Partial<Envelope>,
  lengthMax?: number,
  wantsLines = false,
): Promise<OriginalError> {
  const read = readError(envelope, lengthMax);
  if (read.language === "jvm") {
    return { read: { ...read, parts: await retraceError(deps, appId, envelope, read.parts) }, originals: noOriginals };
  }
  const frames = read.language === "javascript" ? read.parts.flatMap((part) => part.frames) : [];
  const originals = await findOriginals(deps, appId, envelope, frames, wantsLines);
  return { read: { ...read, parts: read.parts.map((part) => withOriginals(part, originals)) }, originals };
}

const withOriginals = (part: ErrorPart, originals: Originals): ErrorPart => ({
  ...part,
  frames: originalFrames(part.frames, originals),
});

/**
 * Maps frames to their source file, line and column, where a source map has them. Minified function names are replaced:
 * by the name of the declaration if the map includes its sources, otherwise by the name used at the call.
 */
export function originalFrames<Frame extends Bundled>(frames: readonly Frame[], originals: Originals): Frame[] {
  return frames.map((frame, index) => {
    const original = originals.of(frame);
    if (!original) return frame;
    const { source, line, column, functionName, context } = original;
    const caller = frames[index + 1];
    const call = caller && !caller.isAsync ? originals.of(caller) : undefined;
    const name = call?.name && isOwnFile(cleanSource(call.source)) ? call.name : null;
    const file = cleanSource(source);
    return {
      ...frame,
      function: functionName ?? name ?? frame.function,
      file,
      line,
      column,
      isOwn: isOwnFile(file),
      isMapped: true,
      ...(context && { context }),
    };
  });
}

/** Removes what bundlers add to the name of a source: a scheme, leading relative folders and a query. */
const cleanSource = (source: string) =>
  source
    .replace(/^(?:webpack(?:-internal)?|turbopack|vite|rollup|parcel):\/\/[^/]*\//i, "/")
    .replace(/\?[^/?]{0,200}$/, "")
    .replace(/^(?:\.{0,2}\/)+/, "/")
    .replace(/^\/(?!webpack\/)/, "");
