import { readdir, readFile } from "node:fs/promises";
import { join, sep } from "node:path";
import { addressOf, CallError, readError, unanswered } from "@lodge/contract/call";
import { uploadSourceMaps as uploadOperation } from "@lodge/contract/calls.generated";
import { sourceMapBytesMax } from "@lodge/contract/limits";
import { failureOf, retrying, userAgent } from "./client.ts";
import { type Environment, readAddress, requireToken } from "./credentials.ts";
import { exitCodes, Failure } from "./failure.ts";
import type { Terminal } from "./terminal.ts";
import { commentedDebugId, sentryDebugId } from "./written-debug-id.ts";

/** The options of `lodge sourcemaps upload`. */
export type SourceMapOptions = { app: string; release?: string; uuid?: string; json?: boolean };

type SourceMap = { debugId?: unknown; debug_id?: unknown; sources?: unknown; sourcesContent?: unknown };
type Found = { file: string; map: string };

/** The limits of one request: the server accepts 200 maps and 100 MB. */
const filesMax = 100;
const lengthMax = 40_000_000;
const uploadTimeoutMs = 600_000;

/**
 * Uploads the source maps of a folder of bundled files and the mapping file of an Android build. Prints their names;
 * returns the exit code; throws a `Failure`.
 */
export async function uploadSourceMaps(
  folder: string,
  options: SourceMapOptions,
  env: Environment,
  terminal: Terminal,
): Promise<number> {
  const secret = requireToken(env, terminal);
  const address = readAddress(env);
  const names = await readdir(folder, { recursive: true }).catch((error: Error) => {
    throw new Failure("usage", `The folder cannot be read: ${error.message}`);
  });
  const mappings = names.filter((path) => /(?:^|[\\/])mapping\.txt$/.test(path)).sort();
  if (options.uuid !== undefined && mappings.length !== 1) {
    throw new Failure("usage", `--uuid needs exactly one mapping.txt, but ${folder} has ${mappings.length}.`);
  }
  const uploaded: { file: string; debugId: string | null; release: string | null }[] = [];
  let batch: Found[] = [];
  const send = async () => {
    if (batch.length > 0) uploaded.push(...(await upload(batch, options, address, secret, terminal)));
    batch = [];
  };
  try {
    for (const name of [...names.filter((path) => /\.[cm]?js\.map$/.test(path)).sort(), ...mappings]) {
      const found = name.endsWith(".map")
        ? await readMap(folder, name, terminal)
        : await readMapping(folder, name, options.uuid);
      if (!found) continue;
      const length = batch.reduce((sum, { map }) => sum + map.length, found.map.length);
      if (batch.length === filesMax || length > lengthMax) await send();
      batch.push(found);
    }
    await send();
  } catch (error) {
    throw error instanceof CallError ? failureOf(error, address) : error;
  }
  if (uploaded.length === 0) {
    throw new Failure(
      "usage",
      `No source map (*.js.map) or mapping file (mapping.txt) was found in ${folder}. Configure the build to write them.`,
    );
  }
  terminal.print(
    options.json
      ? JSON.stringify({ sourceMaps: uploaded }, null, 2)
      : uploaded.map(({ file, debugId }) => (debugId ? `${file} ${debugId}` : file)).join("\n"),
  );
  return exitCodes.done;
}

async function upload(
  batch: Found[],
  { app, release }: SourceMapOptions,
  address: string,
  secret: string,
  terminal: Terminal,
) {
  const form = new FormData();
  if (release !== undefined) form.set("release", release);
  for (const { file, map } of batch) form.set(file, new Blob([map], { type: "application/json" }), "map");
  const response = await retrying({ terminal })(`${address}${addressOf(uploadOperation.path, { app }, {})}`, {
    method: uploadOperation.method,
    headers: { authorization: `Bearer ${secret}`, "user-agent": userAgent },
    body: form,
    signal: AbortSignal.timeout(uploadTimeoutMs),
  }).catch((error: Error) => {
    throw unanswered(error);
  });
  if (!response.ok) throw await readError(response);
  const { sourceMaps } = (await response.json()) as {
    sourceMaps: { file: string; debugId: string | null; release: string | null }[];
  };
  return sourceMaps;
}

/**
 * A source map with the debug id that SDKs report for its file, and without the sources of libraries: the server only
 * reads function names from the app's own sources. A map above the server's size limit is sent without sources.
 */
async function readMap(folder: string, name: string, terminal: Terminal): Promise<Found | undefined> {
  const file = name.split(sep).join("/").slice(0, -".map".length);
  try {
    const map = JSON.parse(await readFile(join(folder, name), "utf8")) as SourceMap & {
      sections?: { map?: SourceMap }[];
    };
    keepOwnSources(map);
    for (const section of map.sections ?? []) if (section.map) keepOwnSources(section.map);
    const bundled = await readFile(join(folder, file), "utf8").catch(() => "");
    map.debugId = sentryDebugId(bundled) ?? map.debugId ?? map.debug_id ?? commentedDebugId(bundled);
    delete map.debug_id;
    let json = JSON.stringify(map);
    if (Buffer.byteLength(json) > sourceMapBytesMax) {
      for (const one of [map, ...(map.sections ?? []).map((section) => section.map)]) delete one?.sourcesContent;
      json = JSON.stringify(map);
    }
    return { file, map: json };
  } catch (error) {
    terminal.say(`${name} was skipped: ${(error as Error).message}`);
    return undefined;
  }
}

/** A mapping file of ProGuard or R8, named after its UUID if that is known. */
async function readMapping(folder: string, name: string, uuid: string | undefined): Promise<Found> {
  const map = await readFile(join(folder, name), "utf8");
  return { file: uuid === undefined ? name.split(sep).join("/") : `proguard/${uuid}.txt`, map };
}

function keepOwnSources(map: SourceMap): void {
  const { sources, sourcesContent } = map;
  if (!Array.isArray(sources) || !Array.isArray(sourcesContent)) return;
  map.sourcesContent = sourcesContent.map((content, index) =>
    /[\\/]node_modules[\\/]/.test(String(sources[index])) ? null : content,
  );
}
