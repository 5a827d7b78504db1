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
  /** The number of lines that this command has inserted above the code. */
  x_lodge_lines?: number;
};
type Injected = { file: string; debugId: string };

/** Only in files that register their id: the SDK, which may be bundled in, only reads `lodgeDebugIds`. */
const registration = "g.lodgeDebugIds=g.lodgeDebugIds";
/** A directive such as "use strict", which only counts at the start of the file, after comments. */
const directive = /^(?:\s|\/\/.*\n|\/\*(?:[^*]|\*(?!\/))*\*\/)*("use \w+"|'use \w+')/;

/**
 * Inserts a first line into each bundled file of a folder that registers the file's debug id with the SDK. Also writes
 * the id into the file and its source map, and shifts the map by one line. The id is the one that the bundler wrote, or
 * else a hash of the file and its map. Skips files that register an id already. Prints the changed files; returns the
 * exit code; throws a `Failure`.
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
      terminal.say(`${name} was skipped: ${(error as Error).message}`);
    }
  }
  if (injected.length === 0 && !names.some((path) => /\.[cm]?js\.map$/.test(path))) {
    throw new Failure(
      "usage",
      `No source map (*.js.map) was found in ${folder}. Configure the bundler to write source maps.`,
    );
  }
  terminal.print(
    options.json
      ? JSON.stringify({ files: injected }, null, 2)
      : injected.map(({ file, debugId }) => `${file} ${debugId}`).join("\n"),
  );
  return exitCodes.done;
}

/** Writes the map first and marks it, so that a run that failed before it wrote the file can be repeated. */
async function inject(mapPath: string): Promise<string | undefined> {
  const path = mapPath.slice(0, -".map".length);
  const [text, mapText] = await Promise.all([readFile(path, "utf8"), readFile(mapPath, "utf8")]);
  if (text.includes(registration)) return undefined;
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
  await replace(path, `${hashbang}${first ? `${first};` : ""}${registrationCode(debugId)}\n${named}`);
  return debugId;
}

async function replace(path: string, text: string): Promise<void> {
  await writeFile(`${path}.lodge`, text);
  await rename(`${path}.lodge`, path);
}

/** Code that registers the debug id under the file's address, taken from a stack. Works in old browsers too. */
const registrationCode = (debugId: string) =>
  `!function(){try{var g="undefined"!=typeof globalThis?globalThis:self,` +
  `m=/(?:^|[@( \\n])((?:[\\w-]+:)?[/\\\\]\\S+?):\\d+:\\d+/.exec(new Error().stack);` +
  `m&&((${registration}||{})[m[1]]="${debugId}")}catch(e){}}();`;

/** A UUIDv8 that is the same for the same build. */
function uuidOf(...texts: string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  const hex = hash.digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
