import { sql } from "kysely";
import type pg from "pg";
import { Counter } from "prom-client";
import { isOfStatement, type Transaction } from "../platform/database/database.ts";
import { preparedStatement } from "../platform/database/statements.ts";
import type { Deps } from "../platform/deps.ts";
import { registry } from "../platform/observe/metrics.ts";
import { isOutage } from "../platform/outage.ts";
import { timeOf } from "../platform/uuid-time.ts";
import { announceCards } from "./announce-cards.ts";
import { countOccurrences, makeProblems, type ReadEvent } from "./count-occurrences.ts";
import { groupedLengthMax } from "./group-report.ts";
import { readOriginalStack } from "./original-frames.ts";
import { parseEnvelope } from "./readable.ts";
import { returnCards } from "./return-cards.ts";
import { summariseEvent } from "./summarise-event.ts";

const batchMax = 200;
/** Larger envelopes are fetched and read one by one: parsing takes ten times an envelope's size for as long as it lasts. */
const togetherBytesMax = 65_536;
/** The doors have their turn at least so often while envelopes are read. */
const holdMs = 5;
/** Source maps take their time. Whoever merges problems waits for a batch. */
const batchMsMax = 2_000;
/** Of one batch, this many problems are named to the dashboards; of more, only the inbox. */
const announcedMax = 20;

const eventsRead = new Counter({
  name: "lodged_events_read_total",
  help: "Events that were read into the inbox of their app.",
  registers: [registry],
});

const takenRow = {
  app_id: "uuid",
  event_id: "uuid",
  organisation_id: "uuid?",
  received_at: "timestamptz?",
  attachment_count: "integer?",
  envelope: "bytea?",
  has_maps: "boolean?",
} as const;

const takenSql = (taken: string) => `with taken (app_id, event_id, place) as materialized (${taken})
  select taken.app_id, taken.event_id, apps.organisation_id, received_at,
    json_array_length(attachments) as attachment_count,
    case when octet_length(envelope) <= ${togetherBytesMax} then envelope end as envelope,
    exists (select from source_maps where source_maps.app_id = events.app_id) as has_maps
  from taken left join events on events.app_id = taken.app_id and events.id = taken.event_id
  left join apps on apps.id = events.app_id
  order by place, taken.event_id`;

/**
 * Apps that have unread events: what several readers share. Those that have waited longest come first, or whichever are
 * drawn. With the oldest event of each, and how many it has, as far as a batch goes.
 */
const findApps = preparedStatement({
  name: "find_unread_apps",
  parameters: { isDrawn: "boolean" },
  row: { app_id: "uuid", oldest_id: "uuid", event_count: "integer" },
  text: ({ isDrawn }) => `with recursive oldest as (
    (select app_id, event_id from unread_events order by app_id, event_id limit 1)
    union all
    select next.app_id, next.event_id from oldest cross join lateral (
      select app_id, event_id from unread_events where app_id > oldest.app_id order by app_id, event_id limit 1) next
  ), first as materialized (
    select app_id, event_id, row_number() over (order by case when ${isDrawn} then random() end, event_id) as place
    from oldest order by place limit ${batchMax}
  )
  select app_id, event_id as oldest_id, (select count(*)::integer from (
    select from unread_events where unread_events.app_id = first.app_id limit ${batchMax}) counted) as event_count
  from first order by place`,
});

/** Of apps that the transaction holds, in their order; the oldest of each first. */
const takeUnread = preparedStatement({
  name: "take_unread_events",
  parameters: { appIds: "uuid[]" },
  row: takenRow,
  text: ({ appIds }) =>
    takenSql(`select held.app_id, event_id, place from unnest(${appIds}) with ordinality as held (app_id, place)
    cross join lateral (
      select event_id from unread_events where app_id = held.app_id order by event_id limit ${batchMax}) oldest
    order by place, event_id limit ${batchMax}`),
});

const takeOne = preparedStatement({
  name: "take_unread_event",
  parameters: { appId: "uuid", eventId: "uuid" },
  row: takenRow,
  text: ({ appId, eventId }) =>
    takenSql(`select app_id, event_id, 1 from unread_events where app_id = ${appId} and event_id = ${eventId}`),
});

/** Two that count the same problems at once would wait for each other, in an order that nobody can tell. */
const lockKeySql = (appId: string) => `hashtextextended('lodge read events ' || ${appId}, 0)`;
const tryLocks = preparedStatement({
  name: "try_to_hold_reading",
  parameters: { appIds: "uuid[]" },
  row: { app_id: "uuid" },
  text: ({ appIds }) => `with app as materialized (select unnest(${appIds}) as app_id)
  select app_id from app where pg_try_advisory_xact_lock(${lockKeySql("app_id")})`,
});
const waitForLock = preparedStatement({
  name: "hold_reading",
  parameters: { appId: "uuid" },
  row: { held: "boolean" },
  text: ({ appId }) => `select pg_advisory_xact_lock(${lockKeySql(appId)}) is not null as held`,
});

/** Waits until nobody reads events of an app, and keeps others from it until the transaction ends. */
export async function holdReading(tx: Transaction, appId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.raw(lockKeySql("app.id"))}) from (select ${appId}::uuid as id) app`.execute(
    tx,
  );
}

const findEnvelope = preparedStatement({
  name: "find_large_envelope",
  parameters: { appId: "uuid", eventId: "uuid" },
  row: { envelope: "bytea" },
  text: ({ appId, eventId }) => `select envelope from events where app_id = ${appId} and id = ${eventId}`,
});

/** What came of a batch: how many events were read, and when the oldest one was accepted that might have been. */
export type BatchRead = { count: number; oldestAt: Date | undefined };

/**
 * Reads unread events, at most 200, into the inboxes of their apps, and counts them for their problems, each exactly once.
 * Several workers do it at once, but of an app only one: in the order in which its events came. Half of the turns go to
 * the apps that have waited longest, and half are drawn, so that none waits for another that has more. Tells the
 * dashboards.
 */
export async function readEvents(deps: Deps): Promise<BatchRead> {
  let free: Free = { taken: [], oldestAt: undefined };
  try {
    const count = await readTaken(deps, async (client) => {
      free = await takeOfFreeApps(client);
      return free.taken;
    });
    return { count, oldestAt: free.oldestAt };
  } catch (error) {
    if (!isOfStatement(error)) throw error;
    deps.log.error({ err: error }, "events could not be read into the inbox together");
    return { count: await readOneByOne(deps, free.taken), oldestAt: free.oldestAt };
  }
}

type Free = { taken: Taken; oldestAt: Date | undefined };

/**
 * Events of as many apps as it takes to have 200, none of which is another reader's. What is held is taken by another
 * statement, which sees what those who held it before have done.
 */
async function takeOfFreeApps(client: pg.PoolClient): Promise<Free> {
  const waiting = await findApps(client, { isDrawn: Math.random() < 0.5 });
  const held: typeof waiting = [];
  let heldEvents = 0;
  let looked = 0;
  while (looked < waiting.length && heldEvents < batchMax) {
    const next: typeof waiting = [];
    for (let events = heldEvents; looked < waiting.length && events < batchMax; looked++) {
      const app = waiting[looked] as (typeof waiting)[number];
      next.push(app);
      events += app.event_count;
    }
    const locked = new Set(idsOf(await tryLocks(client, { appIds: idsOf(next) })));
    for (const app of next.filter(({ app_id }) => locked.has(app_id))) {
      held.push(app);
      heldEvents += app.event_count;
    }
  }
  if (held.length === 0) return { taken: [], oldestAt: undefined };
  const free = [...held, ...waiting.slice(looked)];
  const oldestAt = new Date(Math.min(...free.map(({ oldest_id }) => timeOf(oldest_id))));
  return { taken: await takeUnread(client, { appIds: idsOf(held) }), oldestAt };
}

const idsOf = (apps: readonly { app_id: string }[]) => apps.map(({ app_id }) => app_id);

/** Reads an event into the inbox now, unless it has been read. */
export async function readEvent(deps: Deps, appId: string, eventId: string): Promise<void> {
  const [unread] = await takeOne(deps.pool, { appId, eventId });
  if (!unread) return;
  await readTaken(deps, async (client) => {
    await waitForLock(client, { appId });
    return takeOne(client, { appId, eventId });
  });
}

/** What the database refuses of one event must not keep the others from being read. */
async function readOneByOne(deps: Deps, taken: Taken): Promise<number> {
  for (const { app_id: appId, event_id: eventId } of taken) {
    await readEvent(deps, appId, eventId).catch(async (error: unknown) => {
      if (!isOfStatement(error)) throw error;
      deps.log.error({ err: error, appId, eventId }, "an event could not be read into the inbox");
      await deps.db.deleteFrom("unread_events").where("app_id", "=", appId).where("event_id", "=", eventId).execute();
    });
  }
  return taken.length;
}

type Taken = Awaited<ReturnType<typeof takeUnread>>;

/** Returns how many were taken that need not be read again. */
async function readTaken(deps: Deps, take: (client: pg.PoolClient) => Promise<Taken>): Promise<number> {
  const { taken, events, touched } = await commitTaken(deps, take);
  announce(deps, events, touched);
  // Only now: who waits for a connection while it holds one may wait for ever.
  await announceCards(deps, touched);
  const reopened = touched.filter(({ is_reopened }) => is_reopened).map(({ problem_id }) => problem_id);
  if (reopened.length > 0) await returnCards(deps, reopened);
  eventsRead.inc(events.length);
  return taken.length;
}

async function commitTaken(deps: Deps, take: (client: pg.PoolClient) => Promise<Taken>) {
  const client = await deps.pool.connect();
  let broken = true;
  try {
    await client.query("begin");
    const { taken, events } = await readAll(deps, client, await take(client));
    if (events.length > 0) await makeProblems(client, events);
    const touched = taken.length > 0 ? await countOccurrences(client, taken, events) : [];
    await client.query("commit");
    broken = false;
    return { taken, events, touched };
  } catch (error) {
    broken = await client.query("rollback").then(
      () => false,
      () => true,
    );
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Reads what was taken, or as much of it as is read in time: the first of them at least. The others wait. */
async function readAll(deps: Deps, client: pg.PoolClient, all: Taken): Promise<{ taken: Taken; events: ReadEvent[] }> {
  const { log } = deps;
  const taken: Taken = [];
  const events: ReadEvent[] = [];
  const beganAt = performance.now();
  let heldSince = beganAt;
  for (const row of all) {
    if (taken.length > 0 && performance.now() - beganAt > batchMsMax) break;
    taken.push(row);
    const { app_id: appId, event_id: eventId, organisation_id, received_at, attachment_count, envelope } = row;
    if (organisation_id === null || received_at === null) continue; // it is gone, and its app maybe
    if (performance.now() - heldSince > holdMs) {
      await new Promise(setImmediate);
      heldSince = performance.now();
    }
    const bytes = envelope ?? (await findEnvelope(client, { appId, eventId }))[0]?.envelope;
    if (!bytes) continue;
    const attachmentCount = attachment_count ?? 0;
    try {
      const parsed = parseEnvelope(bytes);
      const frames = row.has_maps ? await readOriginalStack(deps, appId, parsed, groupedLengthMax, client) : undefined;
      const summary = summariseEvent(appId, parsed, attachmentCount, frames);
      events.push({
        organisationId: organisation_id,
        appId,
        eventId,
        receivedAt: received_at,
        attachmentCount,
        ...summary,
      });
    } catch (error) {
      if (isOutage(error)) throw error;
      // One that cannot be read must not keep the others from being read.
      log.error({ err: error, appId, eventId }, "an event could not be read into the inbox");
    }
  }
  return { taken, events };
}

function announce({ announce: tell }: Deps, events: ReadEvent[], touched: { app_id: string; problem_id: string }[]) {
  const organisationOf = new Map(events.map(({ appId, organisationId }) => [appId, organisationId]));
  for (const [appId, organisationId] of organisationOf) tell(organisationId, { kind: "inbox.changed", appId });
  for (const { app_id: appId, problem_id: problemId } of touched.slice(0, announcedMax)) {
    tell(organisationOf.get(appId) ?? "", { kind: "problem.occurred", appId, problemId });
  }
}
