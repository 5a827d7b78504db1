import type { Envelope } from "@lodge/contract/envelope";
import type { Deps } from "../../platform/deps.ts";
import { findOriginals, type Originals } from "../source-maps/find-originals.ts";
import { isOwnFile, readStack, type StackFrame } from "../stacks/read-stack.ts";

/**
 * The frames of a report's stack where they come from, as far as its app has source maps now. `lengthMax` is how much of
 * the stack is read.
 */
export async function readOriginalStack(
  deps: Deps,
  appId: string,
  envelope: Partial<Envelope>,
  lengthMax?: number,
): Promise<StackFrame[]> {
  const frames = readStack((envelope.error?.stack ?? "").slice(0, lengthMax));
  return withOriginals(frames, await findOriginals(deps, appId, envelope, frames));
}

/**
 * The same frames, those that a source map knows with their file, line and column there. A minifier's name of a function
 * says nothing. What the function is called in its source is told by its declaration, where the map came with its sources,
 * or else by the place that calls it.
 */
function withOriginals(frames: readonly StackFrame[], originals: Originals): StackFrame[] {
  return frames.map((frame, index) => {
    const original = originals.of(frame);
    if (!original) return frame;
    const { source, line, column, functionName } = original;
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
    };
  });
}

/** A source as bundlers name it, without their scheme, the way to it from the bundle, and their query. */
const cleanSource = (source: string) =>
  source
    .replace(/^(?:webpack(?:-internal)?|turbopack|vite|rollup|parcel):\/\/[^/]*\//i, "/")
    .replace(/\?[^/?]{0,200}$/, "")
    .replace(/^(?:\.{0,2}\/)+/, "/")
    .replace(/^\/(?!webpack\/)/, "");
