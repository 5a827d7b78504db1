import type { Histogram } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { requireApp } from "./require-app.ts";

const hourSeconds = 3_600;
const bucketSecondsOf = { 1: hourSeconds, 7: 6 * hourSeconds, 30: 24 * hourSeconds };

/**
 * The number of events of an app, optionally of one kind, in each hour, six hours or day up to now. Throws
 * `app_not_found`.
 */
export async function getInboxHistogram(
  deps: Deps,
  actor: Actor,
  appId: string,
  { kind, days = "7" }: { kind?: string; days?: "1" | "7" | "30" },
): Promise<Histogram> {
  const app = await requireApp(deps, actor, appId);
  const bucketSeconds = bucketSecondsOf[days];
  const bucketMs = bucketSeconds * 1_000;
  const count = (Number(days) * 24 * hourSeconds) / bucketSeconds;
  const end = Math.floor(deps.clock.now().getTime() / bucketMs) * bucketMs;
  const start = end - (count - 1) * bucketMs;
  const { rows } = await sql<{ at: Date; event_count: number }>`
    select date_bin(make_interval(secs => ${bucketSeconds}), hour, 'epoch') as at, sum(event_count) as event_count
    from app_hours
    where app_id = ${app.id} and hour >= ${new Date(start)} and (${kind ?? null}::text is null or kind = ${kind ?? null})
    group by 1`.execute(deps.db);
  return { bucketSeconds, buckets: fillBuckets(rows, start, count, bucketMs) };
}

/** Buckets from a time on, each with its count. */
export function fillBuckets(
  rows: readonly { at: Date; event_count: number | string }[],
  startMs: number,
  count: number,
  bucketMs: number,
): Histogram["buckets"] {
  const countOf = new Map(rows.map(({ at, event_count }) => [at.getTime(), Number(event_count)]));
  return Array.from({ length: count }, (_, index) => {
    const at = startMs + index * bucketMs;
    return { at: new Date(at).toISOString(), eventCount: countOf.get(at) ?? 0 };
  });
}
