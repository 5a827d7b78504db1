import { createHash } from "node:crypto";
import type { EraseReports, Erasure } from "@lodge/contract/dashboard/erasures";
import type { Envelope } from "@lodge/contract/envelope";
import { type RawBuilder, sql } from "kysely";
import { eraseRuns } from "../../board/agents/erase-runs.ts";
import { detachFiles } from "../../board/attachments/detach-files.ts";
import { recheckImages } from "../../board/images/recheck-images.ts";
import { blankTickets, erasedTitle, retitleTickets } from "../../board/tickets/blank-tickets.ts";
import { eraseFromProblems } from "../../inbox/problems/erase-from-problems.ts";
import { holdReading } from "../../inbox/problems/read-events.ts";
import { parseEnvelope } from "../../inbox/problems/readable.ts";
import { summariseEvent } from "../../inbox/problems/summarise-event.ts";
import { deleteEvents } from "../../inbox/reports/delete-events.ts";
import { noError } from "../../inbox/stacks/read-error.ts";
import { recordAuditSql } from "../../people/audit/record-audit.ts";
import { hashInstall } from "../../people/installs/hash-install.ts";
import { eraseTold } from "../../people/notifications/erase-told.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Basics } from "../../platform/deps.ts";
import type { Store } from "../../platform/store/store.ts";
import { eraseMessages } from "../ticket-hooks/erase-messages.ts";

const batchMax = 100;
/** The length at which summaries cut off a user's id and address. */
const keptLengthMax = 200;

/** The requester of an erasure: a member, or the operator. */
export type Requester = { userId: string | null; name: string };

type Deps = Pick<Basics, "db" | "clock"> & { store: Pick<Store, "delete"> };
type Subject = Pick<EraseReports, "by" | "value">;
type ErasureRow = {
  id: string;
  started_at: Date;
  finished_at: Date | null;
  event_count: number;
  attachment_count: number;
  attachment_bytes: number;
  thread_count: number;
  message_count: number;
  card_count: number;
  delivered_count: number;
};

/**
 * Erases what one user, e-mail address or install has sent to the apps of an organisation: events, attachments,
 * threads, deliveries, copies on cards, files on those cards, and texts of those cards' runs. It keeps a hash of
 * each reportId, for de-duplication, the receipt, with a hash of the value, and for two months the hash of an active
 * install. Runs for `msMax`; the same request continues it, also after a crash, until `finishedAt` is set. With
 * `dryRun` it only counts.
 */
export async function eraseReports(
  deps: Deps,
  organisationId: string,
  requester: Requester,
  { by, value, dryRun = false }: EraseReports,
  msMax: number,
): Promise<Erasure> {
  const subject = { by, value };
  const digest = createHash("sha256")
    .update(`${organisationId}\n${by}\n${comparable(subject)}`)
    .digest();
  const { rows: apps } = await sql<{ id: string }>`
    select id from apps where organisation_id = ${organisationId} order by id`.execute(deps.db);
  const endsAt = performance.now() + msMax;
  if (dryRun) {
    const counts = { ...nothing };
    for (const { id: appId } of apps) {
      for await (const events of eventsOf(deps, appId, subject)) {
        const found = await countOf(
          deps.db,
          organisationId,
          appId,
          events.map(({ id }) => id),
        );
        for (const kind of Object.keys(counts) as (keyof Counts)[]) counts[kind] += found[kind];
      }
    }
    return describe(by, digest, { id: null, startedAt: deps.clock.now(), finishedAt: null, dryRun: true }, counts);
  }
  const erasure = await openErasure(deps, organisationId, requester, by, digest);
  for (const { id: appId } of apps) {
    for await (const events of eventsOf(deps, appId, subject)) {
      if (performance.now() > endsAt) return toErasure(by, digest, await readErasure(deps, organisationId, erasure));
      await eraseEvents(deps, organisationId, erasure, appId, events);
    }
  }
  await finish(deps, organisationId, erasure, by, digest);
  return toErasure(by, digest, await readErasure(deps, organisationId, erasure));
}

type Counts = Omit<ErasureRow, "id" | "started_at" | "finished_at">;
const nothing: Counts = {
  event_count: 0,
  attachment_count: 0,
  attachment_bytes: 0,
  thread_count: 0,
  message_count: 0,
  card_count: 0,
  delivered_count: 0,
};

/** E-mail addresses are compared without surrounding space and letter case. */
const comparable = (subject: Subject) => (subject.by === "email" ? trimmed(subject).toLowerCase() : subject.value);
const trimmed = ({ by, value }: Subject) => (by === "email" ? value.trim() : value);

type Found = { id: string; textDigest: string };

/**
 * The subject's events of an app, in batches: unread ones first, then those in the inbox, to which the unread ones move
 * meanwhile.
 */
async function* eventsOf({ db }: Deps, appId: string, subject: Subject): AsyncGenerator<Found[]> {
  const kept = [...trimmed(subject)].slice(0, keptLengthMax).join("");
  const read: Record<Subject["by"], RawBuilder<unknown>> = {
    user: sql`user_id = ${kept}`,
    email: sql`lower(user_email) = lower(${kept})`,
    install: sql`install = ${hashInstall(appId, subject.value)}`,
  };
  const among = [
    sql`unread_events where app_id = ${appId}`,
    sql`event_summaries where app_id = ${appId} and ${read[subject.by]}`,
  ];
  for (const candidates of among) {
    for (let after: string | null = null; ; ) {
      const { rows }: { rows: { event_id: string }[] } = await sql<{ event_id: string }>`
        select event_id from ${candidates} and (${after}::uuid is null or event_id > ${after})
        order by event_id limit ${sql.lit(batchMax)}`.execute(db);
      const found: Found[] = [];
      for (const { event_id: id } of rows) {
        const { rows: events } = await sql<{ envelope: Buffer }>`
          select envelope from events where app_id = ${appId} and id = ${id}`.execute(db);
        const envelope = events[0] && parseEnvelope(events[0].envelope);
        if (!envelope || !isOf(subject, envelope)) continue;
        found.push({ id, textDigest: summariseEvent(appId, envelope, 0, noError).searchDigest });
      }
      if (found.length > 0) yield found;
      if (rows.length < batchMax) break;
      after = rows.at(-1)?.event_id ?? null;
    }
  }
}

/** Whether an event is the subject's, by its envelope. Summaries only have the start of long values. */
function isOf({ by, value }: Subject, { user, installId }: Partial<Envelope>): boolean {
  if (by === "install") return installId === value;
  const said = by === "user" ? user?.id : user?.email;
  return said !== undefined && comparable({ by, value: said }) === comparable({ by, value });
}

async function openErasure(
  { db, clock }: Deps,
  organisationId: string,
  requester: Requester,
  by: string,
  digest: Buffer,
): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    insert into erasures as open (organisation_id, subject_kind, subject_digest, requested_by_user_id, requested_by_name,
      started_at)
    values (${organisationId}, ${by}, ${digest}, ${requester.userId}, ${requester.name}, ${clock.now()})
    on conflict (organisation_id, subject_kind, subject_digest) where finished_at is null
    do update set started_at = open.started_at
    returning id`.execute(db);
  return rows[0]?.id ?? "";
}

/** All or nothing, except the files of attachments, which are deleted first. */
async function eraseEvents(deps: Deps, organisationId: string, erasureId: string, appId: string, events: Found[]) {
  const ids = events.map(({ id }) => id);
  await deleteEvents(deps, appId, ids, async (tx) => {
    await holdReading(tx, appId); // another erasure of the same subject counts what this one leaves
    const counts = await countOf(tx, organisationId, appId, ids);
    const boards = new Set(await eraseCards(tx, organisationId, appId, ids));
    const digests = events.map(({ textDigest }) => textDigest);
    for (const { titleBefore, title, ticketIds } of await eraseFromProblems(tx, organisationId, appId, ids, digests)) {
      for (const before of [titleBefore, erasedTitle]) {
        const retitled = await retitleTickets(tx, organisationId, ticketIds, before, title ?? erasedTitle);
        for (const boardId of retitled) boards.add(boardId);
      }
    }
    for (const boardId of boards) await publish(tx, organisationId, { kind: "board.changed", boardId });
    await sql`
      update erasures set event_count = event_count + ${counts.event_count},
        attachment_count = attachment_count + ${counts.attachment_count},
        attachment_bytes = attachment_bytes + ${counts.attachment_bytes},
        thread_count = thread_count + ${counts.thread_count}, message_count = message_count + ${counts.message_count},
        card_count = card_count + ${counts.card_count}, delivered_count = delivered_count + ${counts.delivered_count}
      where organisation_id = ${organisationId} and id = ${erasureId}`.execute(tx);
  });
}

/**
 * The tickets whose text is, or was, from some of these events: their own tickets, and those of their problems that
 * were made from one of them.
 */
const cardsOf = (appId: string, ids: readonly string[]) => sql`(
  tickets.id in (select ticket_id from report_cards where app_id = ${appId} and event_id = any(${ids}::uuid[]))
  or (tickets.app_id = ${appId} and tickets.event_id = any(${ids}::uuid[]))
  or (tickets.id in (
      select c.ticket_id from event_summaries e
      join problem_hashes h on h.app_id = e.app_id and h.hash = e.hash
      join report_cards c on c.app_id = h.app_id and c.problem_id = h.problem_id
      where e.app_id = ${appId} and e.event_id = any(${ids}::uuid[]))
    and exists (select from unnest(${ids}::text[]) as event(id) where strpos(tickets.description, event.id) > 0
      or exists (select from ticket_texts said
        where said.organisation_id = tickets.organisation_id and said.ticket_id = tickets.id
          and strpos(said.before || said.after, event.id) > 0))))`;

async function eraseCards(tx: Transaction, organisationId: string, appId: string, ids: readonly string[]) {
  const { ticketIds, boardIds } = await blankTickets(tx, organisationId, cardsOf(appId, ids));
  await eraseRuns(tx, organisationId, ticketIds);
  await eraseTold(tx, organisationId, ticketIds);
  await eraseMessages(tx, organisationId, ticketIds);
  await detachFiles(tx, organisationId, ticketIds);
  for (const ticketId of ticketIds) await recheckImages(tx, organisationId, ticketId);
  return boardIds;
}

/** Counts the data that is deleted with events, and the deliveries that had reached receivers. */
async function countOf(
  db: Basics["db"],
  organisationId: string,
  appId: string,
  ids: readonly string[],
): Promise<Counts> {
  const of = sql`app_id = ${appId} and event_id = any(${ids}::uuid[])`;
  const { rows } = await sql<Counts>`
    select
      (select count(*) from events where app_id = ${appId} and id = any(${ids}::uuid[])) as event_count,
      (select count(*) from artifacts where ${of}) as attachment_count,
      (select coalesce(sum(byte_length), 0)::bigint from artifacts where ${of}) as attachment_bytes,
      (select count(*) from threads where ${of} and message_count > 0) as thread_count,
      (select coalesce(sum(message_count), 0)::bigint from threads where ${of}) as message_count,
      (select count(*) from tickets where organisation_id = ${organisationId} and title <> ${erasedTitle}
        and ${cardsOf(appId, ids)}) as card_count,
      (select count(*) from deliveries d join subscribers s on s.app_id = d.app_id and s.id = d.subscriber_id
        where d.app_id = ${appId} and d.event_id = any(${ids}::uuid[]) and d.state = 'delivered' and s.kind <> 'board')
        as delivered_count`.execute(db);
  return rows[0] ?? nothing;
}

async function finish({ db, clock }: Deps, organisationId: string, id: string, by: string, digest: Buffer) {
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<Counts & { requested_by_name: string }>`
      update erasures set finished_at = ${now}
      where organisation_id = ${organisationId} and id = ${id} and finished_at is null
      returning event_count, attachment_count, attachment_bytes, thread_count, message_count, card_count, delivered_count,
        requested_by_name`.execute(tx);
    const [erased] = rows;
    if (!erased) return; // another request for the same erasure was faster
    const { requested_by_name, ...counts } = erased;
    const details = { by, sha256: digest.toString("hex"), requestedBy: requested_by_name, ...toCounts(counts) };
    await sql`${sql.raw(recordAuditSql("select"))} ${organisationId}::uuid, 'reports.erased', ${JSON.stringify(details)}::jsonb,
      ${now}::timestamptz`.execute(tx);
  });
}

async function readErasure({ db }: Deps, organisationId: string, id: string): Promise<ErasureRow> {
  const { rows } = await sql<ErasureRow>`
    select * from erasures where organisation_id = ${organisationId} and id = ${id}`.execute(db);
  if (!rows[0]) throw new Error("an erasure is gone");
  return rows[0];
}

const toErasure = (by: Subject["by"], digest: Buffer, row: ErasureRow): Erasure =>
  describe(by, digest, { id: row.id, startedAt: row.started_at, finishedAt: row.finished_at, dryRun: false }, row);

const describe = (
  by: Subject["by"],
  digest: Buffer,
  {
    id,
    startedAt,
    finishedAt,
    dryRun,
  }: { id: string | null; startedAt: Date; finishedAt: Date | null; dryRun: boolean },
  counts: Counts,
): Erasure => ({
  id,
  by,
  sha256: digest.toString("hex"),
  dryRun,
  startedAt: startedAt.toISOString(),
  finishedAt: finishedAt?.toISOString() ?? null,
  ...toCounts(counts),
});

const toCounts = (counts: Counts) => ({
  events: Number(counts.event_count),
  attachments: Number(counts.attachment_count),
  attachmentBytes: Number(counts.attachment_bytes),
  threads: Number(counts.thread_count),
  messages: Number(counts.message_count),
  cards: Number(counts.card_count),
  deliveredElsewhere: Number(counts.delivered_count),
});
