import type { IncomingMessage } from "node:http";
import {
  bundledFileLengthMax,
  sourceMapBytesMax,
  sourceMapRequestBytesMax,
  sourceMapsMax,
} from "@lodge/contract/limits";
import { releasePartName, type UploadedSourceMaps } from "@lodge/contract/sourcemaps";
import { sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput, Refusal, unavailable } from "../../platform/errors.ts";
import { boundaryOf, type Part, readParts } from "../../platform/http/read-parts.ts";
import { ByteBudget } from "../../platform/limits/byte-budget.ts";
import { makeStoreKey } from "../../platform/store/store-key.ts";
import { checkMap, UnreadableMap } from "./map-reader.ts";
import type { MapFormat } from "./map-thread.ts";

const releaseLengthMax = 200;
/** The maps that an app keeps. Above this number, the longest unused are deleted. */
const mapsOfAppMax = 20_000;
const bytesOfAppMax = 5_000_000_000;
/** The memory for all maps that are being received. */
const budget = new ByteBudget(128 * 1_048_576);

type Uploaded = UploadedSourceMaps["sourceMaps"][number];

/**
 * Receives source maps and mapping files of an app of the token's organisation, one after another. Each is checked and
 * stored, with the texts of its sources only if the app allows it, and replaces the previous one. If one is refused,
 * those before it stay. Throws `app_not_found`, `invalid_input`, `invalid_multipart`, `invalid_source_map` or
 * `source_maps_too_large`.
 */
export async function receiveSourceMaps(
  deps: Deps,
  { organisationId }: Token,
  appSlug: string,
  request: IncomingMessage,
): Promise<UploadedSourceMaps> {
  const app = await deps.db
    .selectFrom("apps")
    .select(["id", "source_lines"])
    .where("organisation_id", "=", organisationId)
    .where("slug", "=", appSlug)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  if (!app) throw new Refusal("app_not_found");
  const boundary = boundaryOf(request.headers["content-type"]);
  if (!boundary) throw new Refusal("invalid_multipart");

  const tooLarge = () => new Refusal("source_maps_too_large");
  const limits = { bytesMax: sourceMapRequestBytesMax, tooLarge, idleMs: deps.config.ingestIdleMs };
  let release: string | null = null;
  const sourceMaps: Uploaded[] = [];
  for await (const part of readParts(request, boundary, limits)) {
    if (part.name === releasePartName) {
      if (sourceMaps.length > 0) throw wrong("The part named release must come before all others");
      release = await readRelease(part);
      continue;
    }
    if (sourceMaps.length === sourceMapsMax) throw wrong(`At most ${sourceMapsMax} source maps may be sent at a time`);
    sourceMaps.push(await receiveMap(deps, { organisationId, app, release }, part));
  }
  if (sourceMaps.length === 0) throw wrong("Send at least one source map, in a part named after its bundled file");
  await retireLongestUnused(deps, app.id);
  return { sourceMaps };
}

const wrong = (message: string) => invalidInput([{ path: "", message }]);

async function readRelease({ bytes }: Part): Promise<string | null> {
  let text = "";
  for await (const chunk of bytes) {
    if (text.length + chunk.length > 4 * releaseLengthMax)
      throw wrong(`A release has at most ${releaseLengthMax} characters`);
    text += chunk.toString("latin1");
  }
  const release = Buffer.from(text, "latin1").toString("utf8").trim();
  if (release.length > releaseLengthMax || /\p{Cc}/u.test(release)) {
    throw wrong(`A release has at most ${releaseLengthMax} characters, none of them a control character`);
  }
  return release || null;
}

type MapOf = { organisationId: string; app: { id: string; source_lines: boolean }; release: string | null };

async function receiveMap(deps: Deps, { organisationId, app, release }: MapOf, part: Part): Promise<Uploaded> {
  const appId = app.id;
  const file = bundledFile(part.name);
  const format = file.endsWith(".txt") ? "proguard" : "source_map";
  const invalid = (reason: string) => new Refusal("invalid_source_map", { partName: part.name, reason });
  const uuid = format === "proguard" ? uuidOfMapping(file) : null;
  if (format === "proguard" && uuid === null && release === null) {
    throw invalid("it has neither a release nor a UUID: send a release, or name its part after its UUID");
  }
  const read = readMap(organisationId, format, part, app.source_lines);
  const { bytes, debugId, hasTexts } = await read.catch((error: unknown) => {
    throw error instanceof UnreadableMap ? invalid(error.message) : error;
  });
  const id = debugId ?? uuid;
  const now = deps.clock.now();
  const storeKey = makeStoreKey(now);
  const upload = await deps.store.create(storeKey);
  let kept = false;
  try {
    await upload.write(Buffer.from(bytes.buffer));
    await upload.commit();
    await deps.db.transaction().execute(async (tx) => {
      await sql`
        update source_maps set replaced = true where app_id = ${appId} and not replaced
          and case when ${id}::uuid is not null then debug_id = ${id}
            else debug_id is null and file = ${file} and release is not distinct from ${release} end`.execute(tx);
      kept = true; // after a lost connection it is unknown whether the row exists: then only a sweep may delete the file
      await tx
        .insertInto("source_maps")
        .values({
          organisation_id: organisationId,
          app_id: appId,
          release,
          file,
          format,
          debug_id: id,
          byte_length: bytes.length,
          store_key: storeKey,
          has_sources: hasTexts,
          created_at: now,
          used_at: now,
        })
        .execute();
    });
    return { file, debugId: id, release };
  } finally {
    if (!kept) await upload.abort();
  }
}

/** The path of a bundled file for lookups, from the name of its part: without a leading prefix and `.map`. */
function bundledFile(name: string): string {
  const file = name
    .replaceAll("\\", "/")
    .replace(/^[./]+/, "")
    .replace(/\.map$/, "");
  if (file === "" || file.length > bundledFileLengthMax || /\p{Cc}/u.test(file)) {
    throw wrong(`Name each part after its bundled file, with 1 to ${bundledFileLengthMax} characters`);
  }
  return file;
}

/** The UUID of a mapping file whose part is named after it: `proguard/<uuid>.txt`. */
const uuidOfMapping = (file: string) =>
  /(?:^|\/)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.txt$/i.exec(file)?.[1]?.toLowerCase() ?? null;

async function readMap(organisationId: string, format: MapFormat, { bytes }: Part, keepsTexts: boolean) {
  const chunks: Buffer[] = [];
  let byteLength = 0;
  try {
    for await (const chunk of bytes) {
      if (byteLength + chunk.length > sourceMapBytesMax) throw new Refusal("source_maps_too_large");
      if (!budget.take(chunk.length)) throw unavailable();
      byteLength += chunk.length;
      chunks.push(chunk);
    }
    const whole = new Uint8Array(byteLength);
    let at = 0;
    for (const chunk of chunks.splice(0)) {
      whole.set(chunk, at);
      at += chunk.length;
    }
    return await checkMap(organisationId, format, whole, keepsTexts);
  } finally {
    budget.give(byteLength);
  }
}

/** Prevents an app that uploads with every build from filling the disk. */
async function retireLongestUnused({ db }: Deps, appId: string): Promise<void> {
  await sql`
    update source_maps set replaced = true
    from (
      select id, row_number() over newest as number, sum(byte_length::bigint) over newest as bytes
      from source_maps where app_id = ${appId} and not replaced window newest as (order by used_at desc, id desc)
    ) ranked
    where source_maps.app_id = ${appId} and source_maps.id = ranked.id
      and (ranked.number > ${sql.lit(mapsOfAppMax)} or ranked.bytes > ${sql.lit(bytesOfAppMax)})`.execute(db);
}
