import type pg from "pg";
import { lazyCounter } from "../../platform/database/lazy-counter.ts";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import type { RefusalCounter } from "../reports/count-refusals.ts";
import { fieldsOf, objectsOf } from "./cuts.ts";

/**
 * Items of these types are counted by type, others as `other`, so that an attacker cannot fill the table with names.
 */
const types = new Set(
  (
    "transaction span session sessions profile profile_chunk replay_event replay_recording replay_video check_in log " +
    "otel_log trace_metric statsd metric_buckets metric_meta security raw_security nel form_data unreal_report attachment"
  ).split(" "),
);

/** Items that a Sentry client reports as discarded. */
export type Loss = { code: string; count: number };

const lossesMax = 50;
const reportBytesMax = 65_536;
const quantityMax = 1_000_000;
const categories = new Set(
  "default error security attachment session transaction span replay profile monitor log_item feedback".split(" "),
);
const reasons = new Set(
  (
    "queue_overflow cache_overflow buffer_overflow ratelimit_backoff network_error sample_rate before_send event_processor " +
    "send_error internal_sdk_error insufficient_data backpressure ignored no_parent_span"
  ).split(" "),
);

/** The type by which an item is counted. */
export const typeOf = (type: string): string => (types.has(type) ? type : "other");

/** The discarded items of a client report, by category and reason. An unreadable report has none. */
export async function readLosses(bytes: AsyncIterable<Buffer>): Promise<Loss[]> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length <= reportBytesMax) chunks.push(chunk);
  }
  if (length > reportBytesMax) return [];
  return discardedOf(Buffer.concat(chunks, length))
    .slice(0, lossesMax)
    .flatMap(({ reason, category, quantity }) => {
      const isCount = Number.isSafeInteger(quantity) && (quantity as number) > 0;
      const named = (known: Set<string>, value: unknown) => (known.has(`${value}`) ? `${value}` : "other");
      const code = `client_discarded:${named(categories, category)}:${named(reasons, reason)}`;
      return isCount ? [{ code, count: Math.min(quantity as number, quantityMax) }] : [];
    });
}

function discardedOf(json: Buffer): Record<string, unknown>[] {
  try {
    return objectsOf(fieldsOf(JSON.parse(json.toString("utf8"))).discarded_events);
  } catch {
    return [];
  }
}

const count = preparedStatement({
  name: "count_unstored_items",
  parameters: { items: "json" },
  row: {},
  text: ({ items }) => `with lazy as materialized (select set_config('synchronous_commit', 'off', true))
  insert into unstored_items (app_id, day, type, count, last_at)
  select app_id, day, type, item.count, item.last_at
  from lazy, json_to_recordset(${items}) item (app_id uuid, day date, type text, count bigint, last_at timestamptz)
  join apps on apps.id = app_id
  order by app_id, day, type
  on conflict (app_id, day, type)
  do update set count = unstored_items.count + excluded.count, last_at = greatest(unstored_items.last_at, excluded.last_at)`,
});

/** Counts items that were accepted but not stored, without making requests wait. */
export type ItemCounter = {
  add: (app: { id: string; keyId: string }, unstored: readonly string[], losses: readonly Loss[]) => void;
  /** Writes the counts so far. */
  flush: () => Promise<void>;
};

/** Counts unstored items by app, type and day (UTC). Items that clients discarded are added to the refused reports. */
export function countItems(
  { pool, clock, log }: Pick<Deps, "clock" | "log"> & { pool: pg.Pool },
  refusals: RefusalCounter,
): ItemCounter {
  const counter = lazyCounter<{ app_id: string; type: string; day: string }>({
    clock,
    log,
    write: (items) => count(pool, { items: JSON.stringify(items) }),
  });
  return {
    add: (app, unstored, losses) => {
      for (const type of unstored) counter.add({ app_id: app.id, type }, 1);
      for (const { code, count: quantity } of losses) refusals.addLosses(app, code, quantity);
    },
    flush: counter.flush,
  };
}
