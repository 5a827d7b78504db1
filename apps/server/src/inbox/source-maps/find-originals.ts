import type { Envelope } from "@lodge/contract/envelope";
import { bundledFileLengthMax } from "@lodge/contract/limits";
import type pg from "pg";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { type KeptRow, noteUse, readable, readKept, reportMsMax } from "./kept-maps.ts";
import { traceMap } from "./map-reader.ts";
import type { Original } from "./map-thread.ts";

/** Further frames of a stack, and frames of further files, are not mapped. */
const framesMax = 1_000;
const filesMax = 20;
/** The number of trailing folders of an address under which a file is looked up. */
const foldersMax = 10;

/** A position in a bundled file, as in a stack. */
type Bundled = { file: string | null; line: number | null; column: number | null };

/** The original positions of frames. */
export type Originals = { of: (frame: Bundled) => Original | undefined };

/** The result if nothing can be mapped. */
export const noOriginals: Originals = { of: () => undefined };

type Found = KeptRow & { file: string; source_lines: boolean };

/**
 * Maps the frames of a report with the source maps that its app has now: those with its debug ids, else those of its
 * release whose name is the end of a frame's address, else those without a release. Includes source lines if they are
 * wanted and the app allows it. A map that cannot be read is ignored and not tried again; the list of source maps says
 * why.
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
    const { file } = map;
    const places = [...(placesOf.get(file)?.values() ?? [])];
    const withLines = wantsLines && map.source_lines;
    const traced = (await readKept(deps, appId, map, (kept) => traceMap(kept, places, withLines))) ?? [];
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
      where m.app_id = ${appId} and m.debug_id = asked.debug_id and not m.replaced and m.format = 'source_map')
    union all
    (select id, organisation_id, store_key, used_at, unusable_reason, 1 from source_maps m
      where m.app_id = ${appId} and m.file = any(asked.paths) and not m.replaced and m.format = 'source_map'
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

/** The trailing paths of a file's address, each of which may be the name of a map: `assets/index.js` and `index.js`. */
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

/** A UUID; null for anything else. */
export const uuidOrNull = (text: unknown) =>
  typeof text === "string" && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text) ? text : null;
