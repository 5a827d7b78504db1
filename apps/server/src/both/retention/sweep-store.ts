import { Counter, Gauge } from "prom-client";
import { sweepAttachments } from "../../board/attachments/sweep-attachments.ts";
import { sweepImages } from "../../board/images/sweep-images.ts";
import { sweepArtifacts } from "../../inbox/artifacts/sweep-artifacts.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { registry } from "../../platform/observe/metrics.ts";
import { storeKeyTime } from "../../platform/store/store-key.ts";
import { isSweepHeld } from "./hold-sweep.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const batchSize = 500;

const sweptFiles = new Counter({
  name: "lodged_store_swept_files_total",
  help: "Files deleted from the store by sweeps: orphans, expired attachments, images that no text shows, and attachments of deleted tickets.",
  labelNames: ["kind"],
  registers: [registry],
});
const lastSweep = new Gauge({
  name: "lodged_store_last_sweep_timestamp_seconds",
  help: "When this machine last finished a sweep of the store, in seconds since 1970; 0 if it has not since it started.",
  registers: [registry],
  aggregator: "max",
});

/**
 * Deletes files that requests left without an event (older than an hour, longer than any request), artifacts past their
 * retention, whose events stay, images that no text shows, and attachments of deleted tickets. Can be stopped at any
 * point and run again.
 */
export async function sweepStore(
  deps: Deps,
): Promise<{ orphans: number; expired: number; unshown: number; detached: number }> {
  const before = new Date(deps.clock.now().getTime() - hourMs);
  await deps.store.deleteUnfinished(before);
  const swept = {
    orphans: await sweepOrphans(deps, before),
    expired: await sweepArtifacts(deps),
    unshown: await sweepImages(deps),
    detached: await sweepAttachments(deps),
  };
  sweptFiles.inc({ kind: "orphan" }, swept.orphans);
  sweptFiles.inc({ kind: "expired" }, swept.expired);
  sweptFiles.inc({ kind: "unshown" }, swept.unshown);
  sweptFiles.inc({ kind: "detached" }, swept.detached);
  lastSweep.set(deps.clock.now().getTime() / 1000);
  return swept;
}

/** Returns those of these store keys that rows refer to. */
export async function findKnownKeys(db: Database, keys: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("artifacts")
    .select("store_key")
    .where("store_key", "in", keys)
    .union(db.selectFrom("source_maps").select("store_key").where("store_key", "in", keys))
    .unionAll(db.selectFrom("images").select("store_key").where("store_key", "in", keys))
    .unionAll(db.selectFrom("ticket_attachments").select("store_key").where("store_key", "in", keys))
    .execute();
  return rows.map(({ store_key }) => store_key);
}

/** Checks only files that were stored since the last sweep: keys start with their minute. */
async function sweepOrphans({ db, store, cells }: Deps, before: Date): Promise<number> {
  const last = await db.selectFrom("store_sweeps").select("swept_until").executeTakeFirst();
  let orphans = 0;
  let isHeld = false;
  let batch: string[] = [];
  const sweepBatch = async () => {
    // Checked before the rows are read: a transaction that has ended meanwhile has committed its rows.
    isHeld ||= (await isSweepHeld(db)) || (await cells.isSweepHeld());
    if (isHeld) return;
    const known = new Set(await findKnownKeys(db, batch));
    for (const key of await cells.knownKeys(batch)) known.add(key);
    const unknown = batch.filter((key) => !known.has(key));
    await store.delete(unknown);
    orphans += unknown.length;
    batch = [];
  };
  for (const prefix of last ? daysBetween(last.swept_until, before) : [""]) {
    for await (const key of store.list(prefix)) {
      const time = storeKeyTime(key);
      if (time === undefined || time >= before || (last && time < last.swept_until)) continue;
      batch.push(key);
      if (batch.length === batchSize) await sweepBatch();
    }
  }
  if (batch.length > 0) await sweepBatch();
  if (isHeld) return orphans; // the next sweep starts from the same time again
  // Keys have minute precision, so the minute of `before` is checked again.
  const until = new Date(before.getTime() - (before.getTime() % 60_000));
  await db
    .insertInto("store_sweeps")
    .values({ swept_until: until })
    .onConflict((conflict) => conflict.column("id").doUpdateSet({ swept_until: until }))
    .execute();
  return orphans;
}

function daysBetween(from: Date, until: Date): string[] {
  const days = new Set<string>();
  for (let time = from.getTime(); time < until.getTime(); time += dayMs) days.add(dayOf(new Date(time)));
  return [...days.add(dayOf(until))];
}

const dayOf = (time: Date) => `${time.toISOString().slice(0, 10)}/`;
