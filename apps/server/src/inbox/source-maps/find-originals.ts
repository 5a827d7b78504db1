import { buffer } from "node:stream/consumers";
import type { Envelope } from "@lodge/contract/envelope";
import { bundledFileLengthMax } from "@lodge/contract/limits";
import type pg from "pg";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { StoreError } from "../../platform/store/store.ts";
import { traceMap, UnreadableMap } from "./map-reader.ts";
import type { Original } from "./map-thread.ts";

/** More frames of a stack, and frames of more files, are left as they are. */
const framesMax = 1_000;
const filesMax = 20;
/** A file is looked for under so many of the last folders of its address. */
const foldersMax = 10;
/** A report that has taken so long asks no further map. */
const reportMsMax = 2_000;
const dayMs = 86_400_000;

/** A place in a bundled file, as a stack has it. */
type Bundled = { file: string | null; line: number | null; column: number | null };

/** Where places in bundled files come from. */
export type Originals = { of: (frame: Bundled) => Original | undefined };

/** What is known of no place. */
const noOriginals: Originals = { of: () => undefined };

type Found = {
  file: string;
  id: string;
  organisation_id: string;
  store_key: string;
  used_at: Date;
  source_lines: boolean;
};

/**
 * Looks up where the frames of a report come from, with the source maps that its app has now: those of its debug ids, else
 * those of its release that are named like the end of a frame's address, else those of no release. With source lines where
 * they are wanted and the app allows it. A map that cannot be read is as one that is not there, and is not tried again: its
 * owner sees why.
 */
export async function findOriginals(
  deps: Pick<Deps, "store" | "log" | "clock" | "pool">,
  appId: string,
  { app, debugIds = {} }: Partial<Envelope>,
  frames: readonly Bundled[],
  wantsLines = false,
): Promise<Originals> {
  const { pool } = deps;
  const placesOf = new Map<string, Map<string, { line: number; column: number }>>();
  for (const { file, line, column } of frames.slice(0, framesMax)) {
    if (file === null || line === null || column === null || file.length > bundledFileLengthMax * 2) continue;
    const places = placesOf.get(file) ?? new Map<string, { line: number; column: number }>();
    if (placesOf.size < filesMax) placesOf.set(file, places);
    places.set(`${line}:${column}`, { line, column });
  }
  if (placesOf.size === 0) return noOriginals;
  const maps = await findMaps(pool, appId, app?.release ?? app?.version ?? null, [...placesOf.keys()], debugIds);
  const originals = new Map<string, Original>();
  const beganAt = performance.now();
  for (const map of maps) {
    if (performance.now() - beganAt > reportMsMax) break;
    const { file, organisation_id: organisationId, store_key: key } = map;
    const places = [...(placesOf.get(file)?.values() ?? [])];
    const withLines = wantsLines && map.source_lines;
    const asked = { key, load: () => loadMap(deps, key), places, withLines };
    const traced = await traceMap(organisationId, asked).catch(async (error: unknown) => {
      if (!(error instanceof UnreadableMap)) throw error;
      deps.log.warn({ appId, file, reason: error.message }, "a source map cannot be read");
      if (error.isFinal) await noteUnusable(pool, appId, map, error.message);
      return [];
    });
    for (const [index, { line, column }] of places.entries()) {
      const original = traced[index];
      if (original) originals.set(`${file}:${line}:${column}`, original);
    }
  }
  await noteUse(pool, deps.clock.now(), appId, maps);
  return { of: ({ file, line, column }) => originals.get(`${file}:${line}:${column}`) };
}

const findStatement = preparedStatement({
  name: "find_source_maps",
  parameters: { appId: "uuid", release: "text?", asked: "json" },
  row: {
    file: "text",
    id: "uuid",
    organisation_id: "uuid",
    store_key: "text",
    used_at: "timestamptz",
    source_lines: "boolean",
  },
  text: ({
    appId,
    release,
    asked,
  }) => `select asked.file, found.id, found.organisation_id, found.store_key, found.used_at, apps.source_lines
  from json_to_recordset(${asked}) as asked(file text, debug_id uuid, paths text[])
  cross join lateral (
    (select id, organisation_id, store_key, used_at, unusable_reason, 0 as rank from source_maps m
      where m.app_id = ${appId} and m.debug_id = asked.debug_id and not m.replaced)
    union all
    (select id, organisation_id, store_key, used_at, unusable_reason, 1 from source_maps m
      where m.app_id = ${appId} and m.file = any(asked.paths) and not m.replaced
        and (m.release is null or m.release = ${release})
        and (asked.debug_id is null or m.debug_id is null)
      order by m.release is null, length(m.file) desc, m.id desc limit 1)
    order by rank limit 1
  ) found
  join apps on apps.id = ${appId}
  where found.unusable_reason is null`,
});

function findMaps(
  pool: pg.Pool,
  appId: string,
  release: string | null,
  files: readonly string[],
  debugIds: object,
): Promise<Found[]> {
  const idOf = new Map(Object.entries(debugIds) as [string, string][]);
  const asked = files.map((file) => ({
    file: readable(file),
    debug_id: uuidOrNull(idOf.get(file)),
    paths: pathsOf(file),
  }));
  return findStatement(pool, { appId, release: release && readable(release), asked: JSON.stringify(asked) });
}

/** The ends of a file's address, each of which a map may be named after: `assets/index.js` and `index.js`. */
function pathsOf(file: string): string[] {
  const path = file
    .replace(/^[a-z][a-z0-9+.-]*:\/\/[^/]*/i, "")
    .replace(/[?#].*$/, "")
    .replaceAll("\\", "/");
  const parts = readable(decode(path)).split("/").filter(Boolean).slice(-foldersMax);
  return parts.map((_, index) => parts.slice(index).join("/"));
}

function decode(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** A database holds neither NUL nor unpaired surrogates. */
const readable = (text: string) => text.replaceAll("\u0000", "\uFFFD").toWellFormed();

const uuidOrNull = (text: unknown) =>
  typeof text === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text : null;

async function loadMap({ store }: Pick<Deps, "store">, key: string): Promise<Uint8Array<ArrayBuffer>> {
  const stored = await store.read(key);
  if (!stored) throw new UnreadableMap("Its file is not in this server's store.", false);
  const bytes = await buffer(stored).catch((cause: Error) => {
    throw new StoreError(`reading ${key}: ${cause.message}`, { cause }); // nothing that the map is to blame for
  });
  return new Uint8Array(bytes); // a copy of its own: it is handed to the thread
}

const noteStatement = preparedStatement({
  name: "note_use_of_source_maps",
  parameters: { appId: "uuid", ids: "uuid[]", now: "timestamptz" },
  row: {},
  text: ({ appId, ids, now }) => `update source_maps set used_at = ${now} where app_id = ${appId} and id = any(${ids})`,
});

const unusableStatement = preparedStatement({
  name: "note_unusable_source_map",
  parameters: { appId: "uuid", id: "uuid", reason: "text" },
  row: {},
  text: ({ appId, id, reason }) =>
    `update source_maps set unusable_reason = ${reason} where app_id = ${appId} and id = ${id}`,
});

const noteUnusable = (pool: pg.Pool, appId: string, { id }: Found, reason: string) =>
  unusableStatement(pool, { appId, id, reason });

/** What is in use is kept. Once a day is enough to know. */
async function noteUse(pool: pg.Pool, now: Date, appId: string, maps: readonly Found[]): Promise<void> {
  const ids = maps.filter(({ used_at }) => now.getTime() - used_at.getTime() > dayMs).map(({ id }) => id);
  if (ids.length > 0) await noteStatement(pool, { appId, ids, now });
}
