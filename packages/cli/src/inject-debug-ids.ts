import { createHash } from "node:crypto";
import { readdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { exitCodes, Failure } from "./failure.ts";
import type { Terminal } from "./terminal.ts";
import { commentedDebugId, sentryDebugId } from "./written-debug-id.ts";

/** The options of `lodge sourcemaps inject`. */
export type InjectOptions = { json?: boolean };

type Section = { offset: { line: number; column: number } };
type SourceMap = {
  debugId?: string;
  debug_id?: string;
  mappings?: unknown;
  sections?: Section[];
  /** The number of our lines that are already above it. */
  x_lodge_lines?: number;
};
type Injected = { file: string; debugId: string };

/** Where a file tells its id; the SDK itself, which may be in it, only reads there. */
const told = "g.lodgeDebugIds=g.lodgeDebugIds";
/** Means something only where it comes first, after comments. */
const directive = /^(?:\s|\/\/.*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*("use \w+"|'use \w+')/;

/**
 * Has each bundled file of a folder tell its debug id to the SDK, as its first line, and writes the id into the file and its
 * map, whose lines move down by one. The id is the one that the bundler has written, or else made of the file and its map.
 * A file that tells it already is left as it is. Prints which; returns the exit code; throws a `Failure`.
 */
export async function injectDebugIds(folder: string, options: InjectOptions, terminal: Terminal): Promise<number> {
  const names = await readdir(folder, { recursive: true }).catch((error: Error) => {
    throw new Failure("usage", `The folder cannot be read: ${error.message}`);
  });
  const injected: Injected[] = [];
  for (const name of names.filter((path) => /\.[cm]?js\.map$/.test(path)).sort()) {
    try {
      const debugId = await inject(join(folder, name));
      if (debugId) injected.push({ file: name.slice(0, -".map".length), debugId });
    } catch (error) {
      terminal.say(`${name} is left out: ${(error as Error).message}`);
    }
  }
  if (injected.length === 0 && !names.some((path) => /\.[cm]?js\.map$/.test(path))) {
    throw new Failure(
      "usage",
      `There is no source map (*.js.map) below ${folder}: configure the bundler to write them.`,
    );
  }
  terminal.print(
    options.json
      ? JSON.stringify({ files: injected }, null, 2)
      : injected.map(({ file, debugId }) => `${file} ${debugId}`).join("\n"),
  );
  return exitCodes.done;
}

/** The map goes first, and says so: where the file did not get its line then, this is run again. */
async function inject(mapPath: string): Promise<string | undefined> {
  const path = mapPath.slice(0, -".map".length);
  const [text, mapText] = await Promise.all([readFile(path, "utf8"), readFile(mapPath, "utf8")]);
  if (text.includes(told)) return undefined;
  const map = JSON.parse(mapText) as SourceMap;
  const debugId = sentryDebugId(text) ?? commentedDebugId(text) ?? map.debugId ?? map.debug_id ?? uuidOf(text, mapText);
  if (!map.x_lodge_lines) {
    if (map.sections) for (const { offset } of map.sections) offset.line += 1;
    else map.mappings = `;${map.mappings}`;
    await replace(mapPath, JSON.stringify({ ...map, debugId, x_lodge_lines: 1 }));
  }
  const [hashbang = ""] = /^#!.*\n/.exec(text) ?? [];
  const rest = text.slice(hashbang.length);
  const [, first] = directive.exec(rest) ?? [];
  const named = commentedDebugId(rest) !== undefined ? rest : `${rest.replace(/\n?$/, "\n")}//# debugId=${debugId}\n`;
  await replace(path, `${hashbang}${first ? `${first};` : ""}${tellerOf(debugId)}\n${named}`);
  return debugId;
}

async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.lodge`, text);
  await rename(`${path}.lodge`, path);
}

/** Notes the file's own address, as its own stack has it, for a bundle of any age. */
const tellerOf = (debugId: string) =>
  `!function(){try{var g="undefined"!=typeof globalThis?globalThis:self,` +
  `m=/(?:^|[@( \\n])((?:[\\w-]+:)?[/\\\\]\\S+?):\\d+:\\d+/.exec(new Error().stack);` +
  `m&&((${told}||{})[m[1]]="${debugId}")}catch(e){}}();`;

/** The same for the same build: a UUIDv8. */
function uuidOf(...texts: string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  const hex = hash.digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
