import { buffer } from "node:stream/consumers";
import type pg from "pg";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { StoreError } from "../../platform/store/store.ts";
import { type KeptMap, UnreadableMap } from "./map-reader.ts";

/** After this time, no further maps are read for a report. */
export const reportMsMax = 2_000;
const dayMs = 86_400_000;

/** A stored map of an app. */
export type KeptRow = { id: string; organisation_id: string; store_key: string; used_at: Date };

/** Replaces NUL and unpaired surrogates, which databases cannot store. */
export const readable = (text: string) => text.replaceAll("\u0000", "\uFFFD").toWellFormed();

/**
 * Passes a stored map to `ask`. If it cannot be read, returns undefined and, unless the server was only busy, stores
 * the reason for its owner and does not try the map again.
 */
export async function readKept<Answer>(
  deps: Pick<Deps, "store" | "log" | "pool">,
  appId: string,
  { id, organisation_id: organisationId, store_key: key }: KeptRow,
  ask: (map: KeptMap) => Promise<Answer>,
): Promise<Answer | undefined> {
  try {
    return await ask({ organisationId, key, load: () => loadMap(deps, key) });
  } catch (error) {
    if (!(error instanceof UnreadableMap)) throw error;
    deps.log.warn({ appId, id, reason: error.message }, "a source map cannot be read");
    if (error.isFinal) await unusableStatement(deps.pool, { appId, id, reason: error.message });
    return undefined;
  }
}

async function loadMap({ store }: Pick<Deps, "store">, key: string): Promise<Uint8Array<ArrayBuffer>> {
  const stored = await store.read(key);
  if (!stored) throw new UnreadableMap("Its file is not in this server's store.", false);
  const bytes = await buffer(stored).catch((cause: Error) => {
    throw new StoreError(`reading ${key}: ${cause.message}`, { cause }); // not the fault of the map
  });
  return new Uint8Array(bytes); // a copy, since it is transferred to the thread
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

/** Records the use of maps, which keeps them from being deleted. Once a day is enough. */
export async function noteUse(pool: pg.Pool, now: Date, appId: string, maps: readonly KeptRow[]): Promise<void> {
  const ids = maps.filter(({ used_at }) => now.getTime() - used_at.getTime() > dayMs).map(({ id }) => id);
  if (ids.length > 0) await noteStatement(pool, { appId, ids, now });
}
