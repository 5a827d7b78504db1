import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import type pg from "pg";
import { Counter } from "prom-client";
import { isOfStatement, isRolledBack, type Transaction } from "../../platform/database/database.ts";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { registry } from "../../platform/observe/metrics.ts";
import { isOutage } from "../../platform/outage.ts";
import { StoreError } from "../../platform/store/store.ts";
import { timeOf } from "../../platform/uuid-time.ts";
import { announceCards } from "./announce-cards.ts";
import { countOccurrences, makeProblems, type ProblemOfEvent, type ReadEvent } from "./count-occurrences.ts";
import { countReleaseUsers } from "./count-release-users.ts";
import { findSpikes } from "./find-spikes.ts";
import { groupedLengthMax } from "./grouping.ts";
import { groupingBefore, keepOldGroupings, type Regrouped } from "./known-groupings.ts";
import { readOriginalError } from "./original-error.ts";
import { type News, queueNews, recordNews } from "./problem-news.ts";
import { parseEnvelope } from "./readable.ts";
import { claimTurns, endTurns, lockKeySql } from "./reading-turns.ts";
import { returnCards } from "./return-cards.ts";
import { summariseEvent, summariseUnprocessed } from "./summarise-event.ts";

const batchMax = 200;
/** Larger envelopes are fetched and read one by one, since parsing temporarily takes ten times an envelope's size. */
const togetherBytesMax = 65_536;
/** While it reads envelopes, the process yields to the event loop at least this often. */
const holdMs = 5;
/** The time limit for an app and for a batch. The rest of their events wait for the next turn. */
const appMsMax = 2_000;
const batchMsMax = 4_000;
/** After this time, the events computed so far are written before more are computed. */
const unwrittenMsMax = 250;
/** A batch announces at most this many problems to the dashboards. For more, it only announces the inbox. */
const announcedMax = 20;
/** After this many failed turns in a row, an app's oldest event is read alone, without source maps, or not at all. */
const failuresUntil = { alone: 2, unmapped: 4, unprocessed: 6 };

const eventsRead = new Counter({
  name: "lodged_events_read_total",
  help: "Events that were added to the inbox of their app.",
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
  has_version_1: "boolean?",
} as const;

const hasMapsSql = (appId: string) =>
  `exists (select from source_maps where source_maps.app_id = ${appId} and not replaced and unusable_reason is null)`;

const takenSql = (taken: string) => `with taken (app_id, event_id, place) as materialized (${taken})
  select taken.app_id, taken.event_id, apps.organisation_id, received_at,
    json_array_length(attachments) as attachment_count,
    case when octet_length(envelope) <= ${togetherBytesMax} then envelope end as envelope,
    ${hasMapsSql("events.app_id")} as has_maps,
    exists (select from problem_hashes where problem_hashes.app_id = events.app_id and rule_version = 1
      and not retired) as has_version_1
  from taken left join events on events.app_id = taken.app_id and events.id = taken.event_id
  left join apps on apps.id = events.app_id
  order by place, taken.event_id`;

/**
 * Apps with unread events that no worker reads. First the least recently served app of each organisation, then the
 * next of each, so that none waits for more than one turn of any other organisation. Returns the oldest event
 * of each app and its number of events, up to a batch. An app without a row in `apps` is deleted, and has no maps.
 */
const findApps = preparedStatement({
  name: "find_unread_apps",
  parameters: { hasMaps: "boolean", reader: "text", now: "timestamptz" },
  row: { app_id: "uuid", oldest_id: "uuid", event_count: "integer", failures: "integer" },
  text: ({ hasMaps, reader, now }) => `with recursive oldest as (
    (select app_id, event_id from unread_events order by app_id, event_id limit 1)
    union all
    select next.app_id, next.event_id from oldest cross join lateral (
      select app_id, event_id from unread_events where app_id > oldest.app_id order by app_id, event_id limit 1) next
  ), free as materialized (
    select oldest.app_id, event_id, coalesce(failures, 0)::integer as failures, served_at,
      row_number() over (partition by organisation_id order by served_at nulls first, event_id) as round
    from oldest left join reading_turns on of_app = oldest.app_id left join apps on apps.id = oldest.app_id
    where (until is null or until <= ${now} or reader = ${reader}) and ${hasMapsSql("oldest.app_id")} = ${hasMaps}
  ), first as materialized (
    select app_id, event_id, failures, row_number() over (order by round, served_at nulls first, event_id) as place
    from free order by place limit ${batchMax}
  )
  select app_id, event_id as oldest_id, failures, (select count(*)::integer from (
    select from unread_events where unread_events.app_id = first.app_id limit ${batchMax}) counted) as event_count
  from first order by place`,
});

/** The oldest unread events of each claimed app, in the order of the apps. */
const takeUnread = preparedStatement({
  name: "take_unread_events",
  parameters: { appIds: "uuid[]", countMax: "integer" },
  row: takenRow,
  text: ({ appIds, countMax }) =>
    takenSql(`select held.app_id, event_id, place from unnest(${appIds}) with ordinality as held (app_id, place)
    cross join lateral (
      select event_id from unread_events where app_id = held.app_id order by event_id limit ${countMax}) oldest
    order by place, event_id limit ${countMax}`),
});

const takeThese = preparedStatement({
  name: "take_these_unread_events",
  parameters: { appIds: "uuid[]", eventIds: "uuid[]" },
  row: takenRow,
  text: ({ appIds, eventIds }) =>
    takenSql(`select unread_events.app_id, unread_events.event_id, 1
    from unnest(${appIds}, ${eventIds}) as asked (app_id, event_id)
    join unread_events on unread_events.app_id = asked.app_id and unread_events.event_id = asked.event_id`),
});

const takeOne = preparedStatement({
  name: "take_unread_event",
  parameters: { appId: "uuid", eventId: "uuid" },
  row: takenRow,
  text: ({ appId, eventId }) =>
    takenSql(`select app_id, event_id, 1 from unread_events where app_id = ${appId} and event_id = ${eventId}`),
});

/**
 * Deletes events from the queue, and locks their apps against other readers until the transaction ends. Leaves out apps
 * in which somebody is merging or erasing, and events that another reader has counted.
 */
const takeOut = preparedStatement({
  name: "take_out_unread_events",
  parameters: { ofApps: "uuid[]", appIds: "uuid[]", eventIds: "uuid[]" },
  row: { app_id: "uuid", event_id: "uuid" },
  text: ({ ofApps, appIds, eventIds }) => `with held as materialized (
    select app_id from unnest(${appIds}) as app_id where pg_try_advisory_xact_lock(${lockKeySql("app_id")})
  )
  delete from unread_events using unnest(${ofApps}, ${eventIds}) as taken (app_id, event_id), held
  where unread_events.app_id = taken.app_id and unread_events.event_id = taken.event_id and held.app_id = taken.app_id
  returning unread_events.app_id, unread_events.event_id`,
});

const waitForLock = preparedStatement({
  name: "hold_reading",
  parameters: { appId: "uuid" },
  row: { held: "boolean" },
  text: ({ appId }) => `select pg_advisory_xact_lock(${lockKeySql(appId)}) is not null as held`,
});

/** Locks an app against counting its events until the transaction ends. Waits for a count that is under way. */
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

/** Whether a reader serves the apps with source maps, and its name, which begins with its worker's id. */
export type Reader = { hasMaps: boolean; name: string };

/** The result of a batch: the number of events read, and when the oldest unread event of the free apps was accepted. */
export type BatchRead = { count: number; oldestAt: Date | undefined };

/**
 * Reads at most 200 unread events into the inboxes of their apps, and counts each exactly once. Several workers run
 * this in parallel, but only one per app, in the order in which its events arrived. The apps take turns. Events are
 * processed outside of any transaction, and a failure only delays its own app. Announces changes to the dashboards.
 */
export async function readEvents(
  deps: Deps,
  reader: Reader = { hasMaps: false, name: randomUUID() },
): Promise<BatchRead> {
  const { claimed, countMax, level, oldestAt } = await claimApps(deps, reader);
  if (claimed.length === 0) return { count: 0, oldestAt };
  const reading = new Reading(deps, level);
  let hasEnded = false;
  try {
    await reading.read(await takeUnread(deps.pool, { appIds: claimed, countMax }));
    hasEnded = true;
  } finally {
    const failed = hasEnded ? [...reading.failed] : claimed;
    await endTurns(deps, reader.name, { appIds: claimed, served: [...reading.served], failed }).catch(
      (error: unknown) => deps.log.warn({ err: error }, "leases on apps could not be released"),
    );
  }
  if (reading.cardsError !== undefined) throw reading.cardsError;
  return { count: reading.count, oldestAt };
}

type Level = "whole" | "unmapped" | "unprocessed";
type Claimed = { claimed: string[]; countMax: number; level: Level; oldestAt: Date | undefined };

/**
 * Claims free apps until they have 200 events. If the first app's turns have failed, claims only that app and takes
 * only its oldest event, to find out which event cannot be read.
 */
async function claimApps(deps: Deps, { hasMaps, name }: Reader): Promise<Claimed> {
  const found = await findApps(deps.pool, { hasMaps, reader: name, now: deps.clock.now() });
  const isSuspect = ({ failures }: { failures: number }) => failures >= failuresUntil.alone;
  const alone = found[0] && isSuspect(found[0]);
  const waiting = alone ? found.slice(0, 1) : found.filter((app) => !isSuspect(app));
  const held: typeof waiting = [];
  const countMax = alone ? 1 : batchMax;
  let heldEvents = 0;
  let looked = 0;
  while (looked < waiting.length && heldEvents < countMax) {
    const next: typeof waiting = [];
    for (let events = heldEvents; looked < waiting.length && events < countMax; looked++) {
      const app = waiting[looked] as (typeof waiting)[number];
      next.push(app);
      events += app.event_count;
    }
    const claimed = new Set(idsOf(await claimTurns(deps, name, idsOf(next))));
    for (const app of next.filter(({ app_id }) => claimed.has(app_id))) {
      held.push(app);
      heldEvents += app.event_count;
    }
  }
  const free = held.length === 0 ? [] : [...held, ...waiting.slice(looked)];
  const oldestAt =
    free.length === 0 ? undefined : new Date(Math.min(...free.map(({ oldest_id }) => timeOf(oldest_id))));
  return { claimed: idsOf(held), countMax, level: levelOf(alone ? (found[0]?.failures ?? 0) : 0), oldestAt };
}

const levelOf = (failures: number): Level =>
  failures >= failuresUntil.unprocessed ? "unprocessed" : failures >= failuresUntil.unmapped ? "unmapped" : "whole";

const idsOf = (apps: readonly { app_id: string }[]) => apps.map(({ app_id }) => app_id);

/** Reads an event into the inbox now, unless it has been read. */
export async function readEvent(deps: Deps, appId: string, eventId: string): Promise<void> {
  const [unread] = await takeOne(deps.pool, { appId, eventId });
  if (!unread) return;
  const reading = new Reading(deps, "whole", true);
  await reading.readNow(unread);
  if (reading.cardsError !== undefined) throw reading.cardsError;
}

/**
 * Reads events into the inbox now, unless another reader has read or is reading them. Reads at most one batch.
 */
export async function readTogether(deps: Deps, events: readonly { appId: string; eventId: string }[]): Promise<void> {
  const rows = await takeThese(deps.pool, {
    appIds: events.map(({ appId }) => appId),
    eventIds: events.map(({ eventId }) => eventId),
  });
  if (rows.length === 0) return;
  const reading = new Reading(deps, "whole");
  await reading.read(rows);
  if (reading.cardsError !== undefined) throw reading.cardsError;
}

const isUnavailable = (error: unknown) => error instanceof Refusal && error.code === "unavailable";

type Row = Awaited<ReturnType<typeof takeUnread>>[number];

/** An event as processed. Undefined if the event or its app was deleted. */
type Computed = { row: Row; event: (ReadEvent & Regrouped) | undefined };

type Written = {
  events: ReadEvent[];
  touched: Awaited<ReturnType<typeof countOccurrences>>;
  count: number;
  hasJobs: boolean;
};

/** One turn of apps: processes their events, and writes the results in transactions that do nothing else. */
class Reading {
  readonly #deps: Deps;
  readonly #level: Level;
  readonly #waits: boolean;
  /** Apps that had their turn, and those among them that failed. */
  readonly served = new Set<string>();
  readonly failed = new Set<string>();
  /** The number of events that were read or removed. */
  count = 0;
  /** The error of announcing events or returning cards. Thrown at the end, so that it is retried. */
  cardsError: unknown;
  #heldSince = performance.now();

  constructor(deps: Deps, level: Level, waits = false) {
    this.#deps = deps;
    this.#level = level;
    this.#waits = waits;
  }

  async read(rows: readonly Row[]): Promise<void> {
    const beganAt = performance.now();
    let writtenAt = beganAt;
    const unwritten: Computed[] = [];
    const writeDue = async (dueMs: number) => {
      if (performance.now() - writtenAt < dueMs) return;
      await this.#write(unwritten.splice(0));
      writtenAt = performance.now();
    };
    for (const [appId, events] of Map.groupBy(rows, ({ app_id }) => app_id)) {
      if (this.served.size > 0 && performance.now() - beganAt > batchMsMax) break;
      this.served.add(appId);
      const turnBeganAt = performance.now();
      for (const row of events) {
        if (row !== events[0] && performance.now() - turnBeganAt > appMsMax) break;
        try {
          unwritten.push(await this.#compute(row));
        } catch (error) {
          this.#putOff(appId, error);
          break;
        }
        await writeDue(unwrittenMsMax);
      }
    }
    await writeDue(0);
  }

  async readNow(row: Row): Promise<void> {
    await this.#write([await this.#compute(row)]);
  }

  /** Leaves the events of an app for its next turn. Rethrows errors that concern all apps. */
  #putOff(appId: string, error: unknown): void {
    const isOfApp = error instanceof StoreError || isUnavailable(error) || isRolledBack(error);
    if (this.#waits || !isOfApp) throw error;
    this.failed.add(appId);
    this.#deps.log.warn({ err: error, appId }, "events of an app could not be read into the inbox yet");
  }

  /** Throws if another attempt may succeed. */
  async #compute(row: Row): Promise<Computed> {
    const { app_id: appId, event_id: eventId, organisation_id, received_at, attachment_count, envelope } = row;
    if (organisation_id === null || received_at === null) return { row, event: undefined };
    if (performance.now() - this.#heldSince > holdMs) {
      await new Promise(setImmediate);
      this.#heldSince = performance.now();
    }
    const attachmentCount = attachment_count ?? 0;
    const facts = { organisationId: organisation_id, appId, eventId, receivedAt: received_at, attachmentCount };
    if (this.#level === "unprocessed") {
      return {
        row,
        event: unprocessed(facts, "Lodge could not read this report after several attempts."),
      };
    }
    const bytes = envelope ?? (await findEnvelope(this.#deps.pool, { appId, eventId }))[0]?.envelope;
    if (!bytes) return { row, event: undefined };
    try {
      const parsed = parseEnvelope(bytes);
      const isMapped = row.has_maps && this.#level === "whole";
      const original = isMapped ? await readOriginalError(this.#deps, appId, parsed, groupedLengthMax) : undefined;
      const before = row.has_version_1 ? groupingBefore(parsed, original) : undefined;
      const summary = summariseEvent(appId, parsed, attachmentCount, original?.read);
      return { row, event: { ...facts, ...summary, groupingBefore: before } };
    } catch (error) {
      if (isOutage(error) || isUnavailable(error)) throw error;
      this.#deps.log.error({ err: error, appId, eventId }, "an event is shown unprocessed: it could not be read");
      return { row, event: unprocessed(facts, "Lodge could not interpret this report.") };
    }
  }

  /** Writes all events together. If that fails, writes app by app, then halves, down to the event that fails. */
  async #write(computed: readonly Computed[]): Promise<void> {
    if (computed.length === 0) return;
    let written: Written;
    try {
      await keepOldGroupings(
        this.#deps,
        computed.flatMap(({ event }) => event ?? []),
      );
      written = await this.#transact(computed);
    } catch (error) {
      if (isOutage(error) && !isRolledBack(error)) throw error; // it may have been committed
      const byApp = [...Map.groupBy(computed, ({ row }) => row.app_id).values()];
      if (byApp.length > 1) {
        for (const ofApp of byApp) await this.#write(ofApp);
      } else if (isOutage(error) && !isOfStatement(error)) {
        throw error; // the database cannot serve any request
      } else if (isOutage(error)) {
        this.#putOff((computed[0] as Computed).row.app_id, error);
      } else if (computed.length > 1) {
        const half = Math.ceil(computed.length / 2);
        await this.#write(computed.slice(0, half));
        await this.#write(computed.slice(half));
      } else {
        await this.#giveUp(computed[0] as Computed, error);
      }
      return;
    }
    await this.#announce(written);
  }

  /** Stores a rejected event unprocessed. If that is rejected too, only removes it from the queue. */
  async #giveUp({ row, event }: Computed, error: unknown): Promise<void> {
    const of = { appId: row.app_id, eventId: row.event_id };
    const { log } = this.#deps;
    if (event && event.readFailure === null) {
      log.error({ err: error, ...of }, "an event is shown unprocessed: the database rejected its fields");
      const { organisationId, appId, eventId, receivedAt, attachmentCount } = event;
      const facts = { organisationId, appId, eventId, receivedAt, attachmentCount };
      return this.#write([{ row, event: unprocessed(facts, "Lodge could not store the contents of this report.") }]);
    }
    log.error({ err: error, ...of }, "an event could not be put into the inbox");
    return this.#write([{ row, event: undefined }]);
  }

  /** Runs after the commit, because waiting for a connection while holding one can deadlock the pool. */
  async #announce({ events, touched, count, hasJobs }: Written): Promise<void> {
    this.count += count;
    eventsRead.inc(events.length);
    announce(this.#deps, events, touched);
    if (hasJobs) this.#deps.announceJobs();
    try {
      await announceCards(this.#deps, touched);
      const reopened = touched
        .filter(({ reopening_event_id }) => reopening_event_id !== null)
        .map(({ problem_id }) => problem_id);
      if (reopened.length > 0) await returnCards(this.#deps, reopened);
    } catch (error) {
      this.cardsError = error;
    }
  }

  /** Records news for members and queues it for subscribers. Returns whether it queued any jobs. */
  async #noteNews(client: pg.PoolClient, made: ProblemOfEvent[], touched: Written["touched"]): Promise<boolean> {
    const now = this.#deps.clock.now();
    const news: News[] = [
      ...made.map((problem) => ({ ...problem, kind: "new" as const })),
      ...touched.flatMap(({ app_id, problem_id, reopening_event_id }) =>
        reopening_event_id === null
          ? []
          : [{ app_id, problem_id, event_id: reopening_event_id, kind: "back" as const }],
      ),
      ...(await findSpikes(client, touched, now)),
    ];
    if (news.length === 0) return false;
    await recordNews(client, news, now);
    return queueNews(client, news);
  }

  async #transact(computed: readonly Computed[]): Promise<Written> {
    const ofApps = computed.map(({ row }) => row.app_id);
    const client = await this.#deps.pool.connect();
    let broken = true;
    try {
      await client.query("begin");
      if (this.#waits) await waitForLock(client, { appId: ofApps[0] as string });
      const eventIds = computed.map(({ row }) => row.event_id);
      const taken = await takeOut(client, { ofApps, appIds: [...new Set(ofApps)], eventIds });
      const ids = new Set(taken.map(({ event_id }) => event_id));
      const events = computed.flatMap(({ row, event }) => (event && ids.has(row.event_id) ? [event] : []));
      const made = events.length > 0 ? await makeProblems(client, events) : [];
      const touched = events.length > 0 ? await countOccurrences(client, events) : [];
      await countReleaseUsers(client, events);
      const hasJobs = touched.length > 0 && (await this.#noteNews(client, made, touched));
      await client.query("commit");
      broken = false;
      return { events, touched, count: taken.length, hasJobs };
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
}

const unprocessed = <Facts extends object>(facts: Facts, why: string) => ({
  ...facts,
  ...summariseUnprocessed(why),
  groupingBefore: undefined,
});

function announce({ announce: tell }: Deps, events: ReadEvent[], touched: { app_id: string; problem_id: string }[]) {
  const organisationOf = new Map(events.map(({ appId, organisationId }) => [appId, organisationId]));
  for (const [appId, organisationId] of organisationOf) tell(organisationId, { kind: "inbox.changed", appId });
  for (const { app_id: appId, problem_id: problemId } of touched.slice(0, announcedMax)) {
    tell(organisationOf.get(appId) ?? "", { kind: "problem.occurred", appId, problemId });
  }
}
