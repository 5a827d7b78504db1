import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import {
  answerThread,
  changeTicket,
  createApp,
  createSubscriber,
  deleteApp,
  eraseReports as eraseReportsCall,
  getInboxHistogram,
  getProblem,
  getTicket,
  listProblemEvents,
  makeEventCard,
  makeProblemCard,
  viewInbox,
} from "@lodge/contract/calls.generated";
import type { Change } from "@lodge/contract/dashboard/change";
import { sql } from "kysely";
import { indexAllTexts } from "../../board/tickets/index-texts.ts";
import { sweepActivities } from "../../board/tickets/sweep-activities.ts";
import { sweepAttempts } from "../../inbox/deliveries/sweep-attempts.ts";
import { readEvent, readEvents } from "../../inbox/problems/read-events.ts";
import { cutPartitions } from "../../inbox/reports/cut-partitions.ts";
import { deleteEvents } from "../../inbox/reports/delete-events.ts";
import { tellHappenings } from "../../people/notifications/keep-telling.ts";
import { timeOf } from "../../platform/uuid-time.ts";
import { begin } from "../../testing/begin.ts";
import { signedIn } from "../../testing/dashboard-client.ts";
import { dumpDatabase } from "../../testing/dump-database.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { runCommand, startProcess } from "../../testing/start-process.ts";
import { type Service, startService } from "../../testing/start-service.ts";
import { type Attachment, submitReport } from "../../testing/submit-report.ts";
import { thinWhile } from "../../testing/thin-while.ts";
import { until } from "../../testing/until.ts";
import { eraseDeleted } from "./erase-deleted.ts";
import { eraseReports } from "./erase-reports.ts";
import { sweepStore } from "./sweep-store.ts";
import { thinEvents } from "./thin-events.ts";

const dayMs = 86_400_000;
const clock = movableClock();
let lodge: Service;
before(async () => {
  const days = { LODGE_EVENT_RETENTION_DAYS: "60", LODGE_ARTIFACT_RETENTION_DAYS: "400" };
  lodge = await startService({ ...days, LODGE_LARGE_PROBLEM_RETENTION_DAYS: "10" }, { clock });
});
after(() => lodge[Symbol.asyncDispose]());

const crash = {
  kind: "crash",
  error: { type: "TypeError", message: "x", stack: "TypeError: x\n    at f (https://a.test/a.js:1:1)" },
};
const picture: Attachment = { partName: "shot", bytes: new Uint8Array([1, 2, 3]), contentType: "image/png" };

async function makeApp() {
  const slug = `acme-${randomUUID()}`;
  const { organisation, apps, projects } = await lodge.apply({
    organisation: { name: "Acme", slug },
    members: [{ email: `ada@${slug}.test`, name: "Ada", role: "owner" }],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    apps: [{ name: "Shop", slug: "shop", keys: ["default"], replies: true }],
  });
  const [app] = apps;
  assert.ok(app);
  const send = (envelope: Record<string, unknown>, attachments: readonly Attachment[] = []) =>
    submitReport(lodge.url, app.keys[0]?.key ?? "", { reportId: randomUUID(), ...envelope }, attachments);
  const report = async (envelope: Record<string, unknown>, attachments: readonly Attachment[] = []) => {
    const { eventId } = await send(envelope, attachments);
    await readEvent(lodge.deps, app.id, eventId);
    return eventId;
  };
  /** Signs in again, since sessions end while the clock is moved. */
  const ada = () => signedIn(lodge, `ada@${slug}.test`);
  const problems = async () => {
    const { entries } = await (await ada()).call(viewInbox, { params: { appId: app.id }, query: { state: "any" } });
    return entries.flatMap((entry) => (entry.type === "problem" ? [entry.problem] : []));
  };
  const kept = async () => {
    const events = lodge.deps.db.selectFrom("events").select("id").where("app_id", "=", app.id);
    return (await events.execute()).map(({ id }) => id).toSorted();
  };
  const columnId = projects[0]?.boards[0]?.columns[0]?.id ?? "";
  return { organisationId: organisation.id, slug, appId: app.id, send, report, ada, problems, kept, columnId };
}

/** Answers the conversation on a report. */
async function answer(app: Awaited<ReturnType<typeof makeApp>>, eventId: string) {
  const { id } = await lodge.deps.db
    .selectFrom("threads")
    .select("id")
    .where("event_id", "=", eventId)
    .executeTakeFirstOrThrow();
  await (await app.ada()).call(answerThread, { params: { threadId: id }, body: { text: "Which browser?" } });
}

test("events are deleted after their retention, except first and last ones and those that people have worked with", async () => {
  const app = await makeApp();
  const first = await app.report(crash);
  const withPicture = await app.report(crash, [picture]);
  const answered = await app.report(crash);
  await answer(app, answered);
  const sent = { ...crash, reportId: "again" };
  const { eventId: plain } = await app.send(sent);
  await readEvent(lodge.deps, app.appId, plain);
  const feedback = await app.report({ kind: "feedback", title: "Nice" });
  const onCard = await app.report({ kind: "feedback", title: "Nicer" });
  await (await app.ada()).call(makeEventCard, { params: { eventId: onCard }, body: { columnId: app.columnId } });
  clock.move(50 * dayMs);
  const last = await app.report(crash);
  assert.deepEqual(await thinEvents(lodge.deps), { days: 0, largeProblems: 0, problems: 0, singleReports: 0 });
  clock.move(11 * dayMs);
  assert.deepEqual(await thinEvents(lodge.deps), { days: 0, largeProblems: 0, problems: 1, singleReports: 1 });
  assert.deepEqual(await app.kept(), [first, withPicture, answered, onCard, last].toSorted());
  const { rows: known } = await sql`
    select from pg_class where oid in ('events'::regclass, 'event_summaries'::regclass) and reltuples > 0`.execute(
    lodge.deps.db,
  );
  assert.equal(known.length, 2, "the partitioned tables have planner statistics");
  assert.ok(feedback);

  const ada = await app.ada();
  const [problem] = await app.problems();
  const params = { problemId: problem?.id ?? "" };
  const { eventCount, droppedEventCount } = await ada.call(getProblem, { params });
  assert.deepEqual([eventCount, droppedEventCount], [5, 1]);
  const { events } = await ada.call(listProblemEvents, { params, query: {} });
  assert.deepEqual(
    events.map(({ id }) => id),
    [last, answered, withPicture, first],
  );
  for (const attachments of [[], [picture]]) {
    const { idempotent, eventId, deliveryCount, thread } = await app.send(sent, attachments);
    assert.deepEqual([idempotent, eventId, deliveryCount, thread], [true, plain, 0, undefined]);
  }
  assert.equal((await app.kept()).length, 5, "deleted events are not stored again");
  assert.deepEqual(await thinEvents(lodge.deps), { days: 0, largeProblems: 0, problems: 0, singleReports: 0 });
});

test("a large problem keeps only its first and latest thousand events, while smaller problems keep all", async () => {
  const app = await makeApp();
  const first = await app.report(crash);
  // Copies of the event, one second apart.
  await sql`
    with copy as (
      insert into events (app_id, id, report_id, sdk_key_id, envelope, received_at)
      select app_id, uuidv7(), 'copy ' || n, sdk_key_id, envelope, received_at + n * interval '1 second'
      from events, generate_series(1, 9999) n where id = ${first}
      returning app_id, id
    ) insert into unread_events (app_id, event_id) select app_id, id from copy`.execute(lodge.deps.db);
  while ((await readEvents(lodge.deps)).count > 0);
  const [problem, ...others] = await app.problems();
  assert.deepEqual([problem?.eventCount, others], [10_000, []]);
  clock.move(11 * dayMs);
  const { largeProblems, problems } = await thinEvents(lodge.deps);
  assert.deepEqual([largeProblems, problems], [8_999, 0]);
  const kept = await app.kept();
  assert.deepEqual([kept.length, kept.includes(first), kept.includes(problem?.lastEventId ?? "")], [1_001, true, true]);
  const params = { problemId: problem?.id ?? "" };
  const { eventCount, droppedEventCount } = await (await app.ada()).call(getProblem, { params });
  assert.deepEqual([eventCount, droppedEventCount], [10_000, 8_999]);
});

test("an old day is dropped as a partition, except what is kept, while reports arrive; the next day waits", async () => {
  const clock = movableClock();
  const env = { LODGE_EVENT_RETENTION_DAYS: "60", LODGE_LARGE_PROBLEM_RETENTION_DAYS: "10" };
  await using lodge = await startService(env, { clock });
  const { deps } = lodge;
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    apps: [
      {
        name: "Shop",
        slug: "shop",
        keys: ["default"],
        replies: true,
        subscribers: [{ kind: "board", project: "web", board: "Inbox", column: "Backlog" }],
      },
    ],
  });
  const key = apps[0]?.keys[0]?.key ?? "";
  const send = (envelope: Record<string, unknown>) =>
    submitReport(lodge.url, key, { reportId: randomUUID(), ...envelope });
  const { eventId: first } = await send(crash);
  const { eventId: single } = await send({ kind: "feedback", title: "Nice" });
  while ((await readEvents(deps)).count > 0);

  const early = await sql<{ id: string }>`
    insert into events (app_id, id, report_id, sdk_key_id, envelope)
    select app_id, uuidv7(interval '400 days'), 'ahead', sdk_key_id, envelope from events where id = ${first}
    returning id`.execute(deps.db);
  await assert.rejects(cutPartitions(deps, 0), /"ends" of relation "events_1" is violated/);
  const { rows: ends } = await sql`select from pg_constraint where conname = 'ends'`.execute(deps.db);
  assert.equal(ends.length, 0, "no constraint is left that would refuse later reports");
  await deps.db
    .deleteFrom("events")
    .where("id", "=", early.rows[0]?.id ?? "")
    .execute();
  await cutPartitions(deps, 0);
  clock.move(6 * dayMs);
  await cutPartitions(deps);
  const partitions = () => deps.db.selectFrom("event_partitions").selectAll().orderBy("until_id").execute();
  const [, begun] = await partitions();
  assert.ok(begun?.from_id && begun.until_id);
  const daysUntil = (id: string) => (timeOf(id) - Date.now()) / dayMs;
  /** Copies an event to `days` days later, each copy with a thread and a settled delivery. */
  const copy = async (eventId: string, days: number, count: number) => {
    const { rows } = await sql<{ id: string }>`
      with copy as (
        insert into events (app_id, id, report_id, sdk_key_id, envelope, received_at)
        select app_id, uuidv7(${days} * interval '1 day'), 'copy', sdk_key_id, envelope, now() + ${days} * interval '1 day'
        from events, generate_series(1, ${count}::integer) n where id = ${eventId}
        returning app_id, id
      ), unread as (
        insert into unread_events (app_id, event_id) select app_id, id from copy
      ), thread as (
        insert into threads (organisation_id, app_id, event_id, device_id)
        select organisation_id, app_id, copy.id, uuidv7() from copy join apps on apps.id = app_id
      ), delivery as (
        insert into deliveries (app_id, event_id, subscriber_id, state, settled_at)
        select copy.app_id, copy.id, subscribers.id, 'delivered', now() from copy join subscribers using (app_id)
      ) select id from copy order by id`.execute(deps.db);
    while ((await readEvents(deps)).count > 0);
    return rows.map(({ id }) => id);
  };
  const start = daysUntil(begun.from_id) + 0.1;
  const { sdk_key_id: sdkKeyId } = await deps.db
    .selectFrom("events")
    .select("sdk_key_id")
    .where("id", "=", first)
    .executeTakeFirstOrThrow();
  const many = await copy(first, start, 300);
  const [feedback = "", onCard = "", answered = "", pictured = "", waiting = ""] = await copy(single, start, 5);
  await sql`insert into report_cards (organisation_id, app_id, event_id)
    select organisation_id, id, ${onCard}::uuid from apps`.execute(deps.db);
  await sql`update threads set message_count = 1 where event_id = ${answered}`.execute(deps.db);
  await sql`insert into artifacts (app_id, event_id, position, part_name, byte_length, sha256, store_key)
    select id, ${pictured}::uuid, 0, 'shot', 3, '', 'k' from apps`.execute(deps.db);
  await sql`update deliveries set state = 'waiting', settled_at = null where event_id = ${waiting}`.execute(deps.db);
  const unread = await sql<{ id: string }>`
    insert into events (app_id, id, report_id, sdk_key_id, envelope)
    select app_id, uuidv7(${start} * interval '1 day'), 'unread', sdk_key_id, envelope from events where id = ${first}
    returning id`.execute(deps.db);
  const next = await copy(first, start + 1, 1_000);

  const ofDay = [...many, feedback, onCard, answered, pictured, waiting, unread.rows[0]?.id ?? ""];
  const left = async (table: "events" | "threads" | "deliveries") => {
    const { rows } = await sql<{ id: string }>`
      select wanted.id from unnest(${ofDay}::uuid[]) wanted (id) join ${sql.table(table)} kept
        on kept.${sql.ref(table === "events" ? "id" : "event_id")} = wanted.id`.execute(deps.db);
    return rows.map(({ id }) => id).toSorted();
  };

  clock.move((daysUntil(begun.until_id) - 6 + 10.1) * dayMs);
  const [erased = "", discussed = ""] = many;
  const erasing = () => deleteEvents(deps, apps[0]?.id ?? "", [erased]);
  assert.deepEqual(await thinWhile(deps, erasing), { days: 0, largeProblems: 0, problems: 0, singleReports: 0 });
  assert.deepEqual(
    await left("events"),
    ofDay.filter((id) => id !== erased).toSorted(),
    "nothing is dropped, and the next run starts over",
  );
  const discussing = () =>
    sql`update threads set message_count = 1, last_message_at = ${clock.now()} where event_id = ${discussed}`.execute(
      deps.db,
    );
  // On the next day: an accepted event's time comes from its id, which is in the kept part of the days before.
  const arrive = async () => {
    const { rows } = await sql<{ id: string }>`
      insert into events (app_id, id, report_id, sdk_key_id, envelope)
      select id, uuidv7(${start + 1} * interval '1 day'), 'arriving', ${sdkKeyId}, 'x' from apps returning id`.execute(
      deps.db,
    );
    return rows[0]?.id ?? "";
  };
  const arriving = Promise.all(Array.from({ length: 50 }, arrive));
  assert.deepEqual(await thinWhile(deps, discussing), { days: 298, largeProblems: 0, problems: 0, singleReports: 0 });
  const arrived = await arriving;
  const staying = [discussed, feedback, onCard, answered, pictured, waiting];
  assert.deepEqual(await left("events"), [discussed, ...ofDay.slice(300)].toSorted());
  assert.deepEqual([await left("threads"), await left("deliveries")], [staying.toSorted(), staying.toSorted()]);
  const [oldest, newer] = await partitions();
  assert.deepEqual([oldest?.until_id, newer?.from_id, newer?.goes_whole], [begun.until_id, begun.until_id, true]);
  const kept = await deps.db
    .selectFrom("events")
    .select("id")
    .where("id", "in", [first, single, ...next, ...arrived])
    .execute();
  assert.equal(kept.length, 1_052);
  const { rows: counted } = await sql`select event_count, dropped_count from problem_hashes`.execute(deps.db);
  assert.deepEqual(counted, [{ event_count: 1_301, dropped_count: 298 }]);

  clock.move(61 * dayMs);
  assert.deepEqual(await thinEvents(deps), { days: 999, largeProblems: 0, problems: 0, singleReports: 1 });
  assert.deepEqual(await left("events"), [discussed, ...ofDay.slice(301)].toSorted());
  assert.equal((await send({ ...crash, reportId: "again" })).idempotent, false);
  assert.equal((await send({ ...crash, reportId: "again" })).idempotent, true);
});

test("attempts and activities are deleted after their retention; the activity of filing a ticket is kept", async () => {
  const app = await makeApp();
  const eventId = await app.report({ kind: "feedback", title: "Nice" });
  const { ticketId } = await (await app.ada()).call(makeEventCard, {
    params: { eventId },
    body: { columnId: app.columnId },
  });
  const { deps } = lodge;
  const kinds = async () => {
    const { rows } = await sql<{
      kind: string;
    }>`select kind from ticket_activities where ticket_id = ${ticketId}`.execute(deps.db);
    return rows.map(({ kind }) => kind);
  };
  await sql`
    insert into ticket_activities (organisation_id, ticket_id, kind, actor_name, created_at)
    values (${app.organisationId}, ${ticketId}, 'ticket.archived', 'Lodge', ${clock.now()})`.execute(deps.db);
  await sql`
    with told as (
      insert into subscribers (organisation_id, app_id, kind, url)
      values (${app.organisationId}, ${app.appId}, 'webhook', 'https://hooks.example.test') returning app_id, id
    ), sent as (
      insert into deliveries (app_id, event_id, subscriber_id, state, settled_at, attempt_count)
      select app_id, ${eventId}::uuid, id, 'delivered', now(), 1 from told returning app_id, id
    ) insert into delivery_attempts (app_id, delivery_id, number, started_at, duration_ms)
    select app_id, id, 1, ${clock.now()}, 1 from sent`.execute(deps.db);
  assert.deepEqual([await sweepAttempts(deps), await sweepActivities(deps)], [0, 0]);
  clock.move(91 * dayMs);
  assert.deepEqual([await sweepAttempts(deps), await sweepActivities(deps)], [1, 0]);
  clock.move(640 * dayMs);
  assert.deepEqual([await sweepAttempts(deps), await sweepActivities(deps)], [0, 1]);
  assert.deepEqual(await kinds(), ["ticket.filed"]);
});

/** Texts that must not be found anywhere after the erasure, including what is deleted with it. */
const secrets = ["grace@example.test", "Grace Hopper", "user-4711", "The moth is in relay 70"];

test("a user's data is erased everywhere it was copied to, and other users' data is kept", async () => {
  const app = await makeApp();
  const other = await makeApp();
  const grace = { id: "user-4711", email: "Grace@example.test", name: "Grace Hopper" };
  const moth = "The moth is in relay 70";
  const hers = {
    ...crash,
    title: moth,
    message: `${moth}: grace@example.test`,
    user: grace,
    tags: { who: "user-4711" },
  };
  const eventId = await app.report({ ...hers, reportId: "grace@example.test 1" }, [picture]);
  const single = await app.report({ kind: "feedback", title: moth, user: grace });
  const ada = await app.ada();
  const [problem] = await app.problems();
  assert.equal(problem?.title, moth);
  const onlyHers = await app.report({ kind: "crash", error: { type: "Moth", message: moth }, user: grace });
  const theirs = await app.report({ ...crash, user: { email: "ada@example.test" } });
  const elsewhere = await other.report(hers);
  await answer(app, eventId);
  const make = { body: { columnId: app.columnId } };
  const ofProblem = await ada.call(makeProblemCard, { params: { problemId: problem?.id ?? "" }, ...make });
  const ofHers = await ada.call(makeEventCard, { params: { eventId }, ...make });
  const ofSingle = await ada.call(makeEventCard, { params: { eventId: single }, ...make });
  const ofGone = await ada.call(makeEventCard, { params: { eventId: onlyHers }, ...make });
  const unread = await app.send({ ...hers, reportId: "unread" });
  await sql`
    with run as (
      insert into agent_runs (organisation_id, ticket_id, state, changed_at, ended_at, summary, patch, log_length)
      values (${app.organisationId}, ${ofHers.ticketId}, 'succeeded', now(), now(), ${moth}, ${`+ ${moth}`}, 1)
      returning organisation_id, id
    ) insert into run_log_entries (organisation_id, run_id, position, kind, text, at)
    select organisation_id, id, 0, 'output', ${`I read: ${moth}`}, now() from run`.execute(lodge.deps.db);

  const counts = {
    events: 4,
    attachments: 1,
    attachmentBytes: 3,
    threads: 1,
    messages: 1,
    cards: 3,
    deliveredElsewhere: 0,
  };
  const ask = (body: { by: "user" | "email" | "install"; value: string; dryRun?: boolean }) =>
    ada.call(eraseReportsCall, { body });
  await indexAllTexts(lodge.deps); // as a worker does every minute
  const dry = await ask({ by: "email", value: "grace@EXAMPLE.test", dryRun: true });
  assert.deepEqual({ ...dry, ...counts }, dry);
  assert.deepEqual([dry.dryRun, dry.id, dry.finishedAt], [true, null, null]);
  assert.equal((await app.kept()).length, 5);
  const { sha256, finishedAt, ...done } = await ask({ by: "email", value: "grace@EXAMPLE.test" });
  assert.deepEqual({ ...done, ...counts }, done);
  assert.ok(finishedAt);
  assert.equal(sha256, dry.sha256);

  assert.deepEqual(await app.kept(), [theirs]);
  assert.deepEqual(await other.kept(), [elsewhere], "another organisation's");
  const left = await app.problems();
  assert.deepEqual(
    left.map(({ id, title, eventCount, lastEventId }) => [id, title, eventCount, lastEventId]),
    [[problem.id, "TypeError: x", 1, theirs]],
  );
  const said = async (ticketId: string) => (await ada.call(getTicket, { params: { ticketId } })).title;
  assert.equal(await said(ofProblem.ticketId), "TypeError: x", "the title now comes from another report");
  assert.equal(await said(ofHers.ticketId), "TypeError: x");
  assert.deepEqual([await said(ofSingle.ticketId), await said(ofGone.ticketId)], ["Erased report", "Erased report"]);

  const again = await app.send({ ...hers, reportId: "unread" });
  assert.deepEqual([again.idempotent, again.eventId], [true, unread.eventId]);
  for (const table of ["event_summaries", "events"] as const) {
    await lodge.deps.db.deleteFrom(table).where("app_id", "=", other.appId).execute();
  }
  await lodge.deps.db.deleteFrom("organisations").where("id", "=", other.organisationId).execute();
  const all = JSON.stringify(await dumpDatabase(lodge.deps.pool)).toLowerCase();
  for (const secret of secrets) assert.equal(all.split(secret.toLowerCase()).length, 1, secret);
  const { rows: audit } = await sql<{ details: object }>`
    select details from audit_entries where organisation_id = ${app.organisationId}`.execute(lodge.deps.db);
  assert.deepEqual(audit, [{ details: { by: "email", sha256, requestedBy: "Ada", ...counts } }]);
  const nothing = await ask({ by: "user", value: "user-4711" });
  assert.deepEqual([nothing.events, nothing.finishedAt === null], [0, false]);
});

test("an erasure finds a report that is read into the inbox while the erasure runs", async () => {
  const app = await makeApp();
  const user = { id: "user-12" };
  await app.report({ ...crash, user }, [picture]);
  const { eventId } = await app.send({ ...crash, user });
  const store = {
    delete: async (keys: readonly string[]) => {
      await readEvent(lodge.deps, app.appId, eventId);
      await lodge.deps.store.delete(keys);
    },
  };
  const subject = { by: "user", value: "user-12" } as const;
  const requester = { userId: null, name: "lodged erase" };
  const erased = await eraseReports({ ...lodge.deps, store }, app.organisationId, requester, subject, 60_000);
  assert.deepEqual([erased.events, erased.finishedAt === null], [2, false]);
  assert.deepEqual(await app.kept(), []);
});

test("the next sweep deletes an image that only an erased card showed", async () => {
  const app = await makeApp();
  const eventId = await app.report({ kind: "feedback", title: "Look", user: { id: "user-14" } });
  const before = await app.ada();
  const { ticketId } = await before.call(makeEventCard, { params: { eventId }, body: { columnId: app.columnId } });
  const { body } = await lodge.request("POST", `/api/dashboard/tickets/${ticketId}/images`, {
    headers: { cookie: [...before.cookies].map((pair) => pair.join("=")).join("; "), "content-type": "image/png" },
    body: Buffer.from("89504e470d0a1a0a0000000000000000", "hex"),
  });
  await before.call(changeTicket, { params: { ticketId }, body: { description: `![her screen](${body.url})` } });
  const countImages = async () => {
    await sweepStore(lodge.deps);
    const { rowCount } = await lodge.deps.pool.query("select from images where ticket_id = $1", [ticketId]);
    return rowCount;
  };
  clock.move(8 * dayMs);
  assert.equal(await countImages(), 1);
  const ada = await app.ada();
  assert.equal((await ada.call(eraseReportsCall, { body: { by: "user", value: "user-14" } })).cards, 1);
  assert.equal(await countImages(), 0);
});

test("an erased card's file names are erased immediately and its files by the next sweep; other cards keep theirs", async () => {
  const app = await makeApp();
  const eventId = await app.report({ kind: "feedback", title: "Look", user: { id: "user-16" } });
  const otherId = await app.report({ kind: "feedback", title: "Look here", user: { id: "user-17" } });
  const ada = await app.ada();
  const cookie = [...ada.cookies].map((pair) => pair.join("=")).join("; ");
  const kept: Record<string, string> = {};
  for (const id of [eventId, otherId]) {
    const { ticketId } = await ada.call(makeEventCard, { params: { eventId: id }, body: { columnId: app.columnId } });
    const path = `/api/dashboard/tickets/${ticketId}/attachments?filename=her.har`;
    const { status, body } = await lodge.request("POST", path, { headers: { cookie }, body: Buffer.from("{}") });
    assert.equal(status, 201);
    kept[id] = `${body.id}`;
  }
  await ada.call(eraseReportsCall, { body: { by: "user", value: "user-16" } });
  await sweepStore(lodge.deps);
  const ids = Object.values(kept);
  const { rows } = await lodge.deps.pool.query("select id from ticket_attachments where id = any($1)", [ids]);
  assert.deepEqual(rows, [{ id: kept[otherId] }]);
  const { rows: told } = await lodge.deps.pool.query(
    `select details ->> 'filename' as filename from ticket_activities
    where organisation_id = $1 and kind = 'ticket.attached' order by id`,
    [app.organisationId],
  );
  assert.deepEqual(told, [{ filename: null }, { filename: "her.har" }]);
});

test("a report's text on a card is erased, including the version before somebody edited it", async () => {
  const app = await makeApp();
  const said = `Hers ${randomUUID()}`;
  const eventId = await app.report({ ...crash, title: said, message: said, user: { id: "user-15" } });
  await app.report(crash);
  const ada = await app.ada();
  const { ticketId } = await ada.call(makeEventCard, { params: { eventId }, body: { columnId: app.columnId } });
  await ada.call(changeTicket, { params: { ticketId }, body: { description: "Our own words" } });
  await ada.call(eraseReportsCall, { body: { by: "user", value: "user-15" } });
  assert.ok(!JSON.stringify(await dumpDatabase(lodge.deps.pool)).includes(said));
});

test("text of a run about an erased report is erased from notifications", async () => {
  const app = await makeApp();
  const eventId = await app.report({ kind: "feedback", title: "Look", user: { id: "user-16" } });
  const ada = await app.ada();
  const { ticketId } = await ada.call(makeEventCard, { params: { eventId }, body: { columnId: app.columnId } });
  const summary = `She said ${randomUUID()}`;
  await sql`
    insert into agent_runs (organisation_id, ticket_id, state, changed_at)
    values (${app.organisationId}, ${ticketId}, 'queued', now())`.execute(lodge.deps.db);
  await sql`
    update agent_runs set state = 'succeeded', summary = ${summary}, changed_at = now(), ended_at = now()
    where organisation_id = ${app.organisationId}`.execute(lodge.deps.db);
  await tellHappenings(lodge.deps);
  const dump = async () => JSON.stringify(await dumpDatabase(lodge.deps.pool));
  assert.equal((await dump()).split(summary).length, 4, "in the run, the happening and the notification");
  await ada.call(eraseReportsCall, { body: { by: "user", value: "user-16" } });
  assert.ok(!(await dump()).includes(summary));
});

test("two concurrent requests for the same erasure count each event once", async () => {
  const app = await makeApp();
  const user = { id: "user-13" };
  for (let n = 0; n < 10; n++) await app.report({ ...crash, user }, [picture]);
  let begun = 0;
  const both = Promise.withResolvers<void>();
  const store = {
    delete: async (keys: readonly string[]) => {
      if (++begun === 2) both.resolve();
      await both.promise;
      await lodge.deps.store.delete(keys);
    },
  };
  const erase = () =>
    eraseReports(
      { ...lodge.deps, store },
      app.organisationId,
      { userId: null, name: "lodged erase" },
      { by: "user", value: "user-13" },
      60_000,
    );
  await Promise.all([erase(), erase()]);
  const { rows } = await sql<{ event_count: number; attachment_count: number }>`
    select event_count, attachment_count from erasures where organisation_id = ${app.organisationId}`.execute(
    lodge.deps.db,
  );
  assert.deepEqual(rows, [{ event_count: 10, attachment_count: 10 }]);
});

test("erased events do not count in the inbox chart", async () => {
  const app = await makeApp();
  const user = { id: "user-13" };
  await app.report({ ...crash, user });
  await app.report({ kind: "feedback", title: "Nice", user });
  await app.report(crash);
  const ada = await app.ada();
  const counted = async (kind?: "feedback") => {
    const query = { days: "1" as const, ...(kind && { kind }) };
    const { buckets } = await ada.call(getInboxHistogram, { params: { appId: app.appId }, query });
    return buckets.reduce((sum, { eventCount }) => sum + eventCount, 0);
  };
  assert.deepEqual([await counted(), await counted("feedback")], [3, 1]);
  await ada.call(eraseReportsCall, { body: { by: "user", value: user.id } });
  assert.deepEqual([await counted(), await counted("feedback")], [1, 0]);
});

test("a problem is still found by texts that other reports share, and not by texts of only the erased ones", async () => {
  const app = await makeApp();
  const user = { id: "user-14" };
  const said = (message: string) => ({ ...crash, error: { ...crash.error, message } });
  for (const message of ["Relay 70 sticks", "A moth got in", "A moth got in"]) {
    await app.report(said(message));
    await app.report({ ...said(message), user });
  }
  await app.report({ ...said("Grace was here"), user });
  const ada = await app.ada();
  const found = async (text: string) =>
    (await ada.call(viewInbox, { params: { appId: app.appId }, query: { text } })).entries.length;
  const texts = ["relay 70", "a moth", "grace was"];
  assert.deepEqual(await Promise.all(texts.map(found)), [1, 1, 1]);
  await ada.call(eraseReportsCall, { body: { by: "user", value: user.id } });
  assert.deepEqual(await Promise.all(texts.map(found)), [1, 1, 0]);
});

test("an erasure finds an e-mail address in any spelling", async () => {
  const app = await makeApp();
  for (const email of [" Grace@example.test\n", "grace@EXAMPLE.test", "\u0130pek@example.test"]) {
    await app.report({ ...crash, user: { email } });
  }
  const ada = await app.ada();
  for (const value of ["grace@example.test", "\u0130pek@example.test "]) {
    const { finishedAt } = await ada.call(eraseReportsCall, { body: { by: "email", value } });
    assert.ok(finishedAt);
  }
  assert.deepEqual(await app.kept(), []);
});

test("dashboards learn of cards whose title an erasure has changed", async () => {
  const app = await makeApp();
  await app.report({ ...crash, title: "A moth", user: { id: "9" } });
  await app.report({ ...crash, user: { id: "10" } });
  const ada = await app.ada();
  const [problem] = await app.problems();
  const make = { params: { problemId: problem?.id ?? "" }, body: { columnId: app.columnId } };
  const params = { ticketId: (await ada.call(makeProblemCard, make)).ticketId };
  const { title, description, board } = await ada.call(getTicket, { params });
  assert.equal(title, "A moth");
  const listener = await lodge.deps.pool.connect();
  const heard: Record<string, unknown>[] = [];
  listener.on("notification", ({ payload = "{}" }) => heard.push(JSON.parse(payload)));
  await listener.query("listen lodge_live");
  await ada.call(eraseReportsCall, { body: { by: "user", value: "9" } });
  await lodge.deps.pool.query("select pg_notify('lodge_live', $1)", [JSON.stringify({ id: "end", missed: true })]);
  await until(() => heard.some(({ id }) => id === "end"));
  listener.release(true);
  const after = await ada.call(getTicket, { params });
  assert.deepEqual([after.title, after.description], ["TypeError: x", description]);
  const boards = heard.flatMap(({ change }) => ((change as Change)?.kind === "board.changed" ? [change] : []));
  assert.deepEqual(boards, [{ kind: "board.changed", boardId: board.id }]);
});

test("an interrupted erasure continues when it is requested again, and its receipt counts everything", async () => {
  const app = await makeApp();
  for (let sent = 0; sent < 3; sent++) await app.report({ ...crash, installId: "phone" }, [picture]);
  const { organisationId } = app;
  const requester = { userId: null, name: "a test" };
  const erase = (deps: Pick<typeof lodge.deps, "db" | "clock" | "store">, msMax = Number.POSITIVE_INFINITY) =>
    eraseReports(deps, organisationId, requester, { by: "install", value: "phone" }, msMax);
  const cutOff = async () => {
    throw new Error("cut off");
  };
  // Interrupted before any file, and after the files: the rows that name them are still there.
  await assert.rejects(erase({ ...lodge.deps, store: { ...lodge.deps.store, delete: cutOff } }), /cut off/);
  const cutAfter = async (keys: readonly string[]) => {
    await lodge.deps.store.delete(keys);
    throw new Error("cut off");
  };
  await assert.rejects(erase({ ...lodge.deps, store: { ...lodge.deps.store, delete: cutAfter } }), /cut off/);
  assert.equal((await app.kept()).length, 3);
  const repeated = await app.send({ ...crash, reportId: "new", installId: "phone" });
  assert.equal(repeated.idempotent, false);
  const out = await erase(lodge.deps, 0);
  assert.deepEqual([out.events, out.finishedAt], [0, null], "no time was left");
  const done = await erase(lodge.deps);
  assert.deepEqual([done.events, done.attachments, done.finishedAt === null, done.id], [4, 3, false, out.id]);
  assert.deepEqual([await app.kept(), await app.problems()], [[], []]);
});

test("an erasure whose process is killed continues where it stopped, and its receipt counts everything", async () => {
  const app = await makeApp();
  const first = await app.report({ ...crash, user: { id: "8" } }, [picture]);
  const { rows } = await sql<{ id: string }>`
    insert into events (app_id, id, report_id, sdk_key_id, envelope, received_at)
    select app_id, uuidv7(), 'copy ' || n, sdk_key_id, envelope, received_at from events, generate_series(1, 249) n
    where id = ${first} returning id`.execute(lodge.deps.db);
  await sql`insert into unread_events (app_id, event_id) select ${app.appId}, unnest(${rows.map(({ id }) => id)}::uuid[])`.execute(
    lodge.deps.db,
  );
  while ((await readEvents(lodge.deps)).count > 0);
  const counted = async () => {
    const erasures = lodge.deps.db.selectFrom("erasures").select(["id", "event_count"]);
    return erasures.where("organisation_id", "=", app.organisationId).executeTakeFirst();
  };
  const client = await lodge.deps.pool.connect();
  let killed: { id: string; event_count: number } | undefined;
  try {
    // Its last batch waits for an event that another transaction has locked.
    await client.query(begin);
    await client.query("select from events where app_id = $1 and id = $2 for update", [
      app.appId,
      rows
        .map(({ id }) => id)
        .toSorted()
        .at(-1),
    ]);
    await using erasing = startProcess(["erase", "--organisation", app.slug, "--user", "8"], {
      ...lodge.env,
      LODGE_DATA_DIR: lodge.deps.config.dataDir,
    });
    await until(async () => (await counted())?.event_count === 200);
    await erasing.end("SIGKILL");
    killed = await counted();
  } finally {
    await client.query("rollback");
    client.release();
  }
  assert.equal((await app.kept()).length, 50);
  const requester = { userId: null, name: "a test" };
  const subject = { by: "user", value: "8" } as const;
  const done = await eraseReports(lodge.deps, app.organisationId, requester, subject, Number.POSITIVE_INFINITY);
  assert.deepEqual([done.id, done.events, done.attachments, done.finishedAt === null], [killed?.id, 250, 1, false]);
  assert.deepEqual([await app.kept(), await app.problems()], [[], []]);
});

test("lodged erase counts with --dry-run, and otherwise prints a receipt", async () => {
  const app = await makeApp();
  await app.report({ ...crash, user: { id: "7" } }, [picture]);
  const run = (...args: string[]) =>
    runCommand(["erase", "--organisation", app.slug, ...args], {
      ...lodge.env,
      LODGE_DATA_DIR: lodge.deps.config.dataDir,
    });
  const dry = await run("--user", "7", "--dry-run");
  assert.equal(dry.code, 0, dry.stderr);
  assert.deepEqual([JSON.parse(dry.stdout).events, (await app.kept()).length], [1, 1]);
  const done = JSON.parse((await run("--user", "7")).stdout);
  assert.deepEqual([done.events, done.attachments, done.dryRun, (await app.kept()).length], [1, 1, false, 0]);
  assert.deepEqual(
    await Array.fromAsync(lodge.deps.store.list("")).then((keys) => keys.length),
    await countKeptFiles(),
  );
  for (const wrong of [[], ["--user", "7", "--email", "a@b.test"]]) assert.equal((await run(...wrong)).code, 1);
});

/** The number of files that the store must have: one for each artifact, and one for each attachment of a ticket. */
const countKeptFiles = async () => {
  const { rows } = await lodge.deps.pool.query<{ count: number }>(
    "select ((select count(*) from artifacts) + (select count(*) from ticket_attachments))::int as count",
  );
  return rows[0]?.count;
};

test("a deleted app is hidden immediately and its data is deleted afterwards, except cards", async () => {
  const [app, other] = [await makeApp(), await makeApp()];
  const params = { appId: app.appId };
  const { deps } = lodge;
  const ada = await app.ada();
  const body = { kind: "webhook" as const, url: "https://hooks.example.test/lodge" };
  await ada.call(createSubscriber, { params, body });
  const first = await app.report({ ...crash, user: { id: "7" } }, [picture]);
  const single = await app.report({ kind: "bug", message: "The cart is empty" });
  await answer(app, single);
  await app.send(crash); // not yet read into the inbox
  const { ticketId } = await ada.call(makeEventCard, { params: { eventId: single }, body: { columnId: app.columnId } });
  await sql`insert into source_maps (organisation_id, app_id, file, byte_length, store_key, created_at, used_at)
    values (${app.organisationId}, ${app.appId}, 'app.js', 1, ${`app-${app.slug}`}, now(), now())`.execute(deps.db);
  const othersEvent = await other.report(crash, [picture]);
  const { rows: files } = await sql<{ store_key: string }>`
    select store_key from artifacts where app_id = ${app.appId}`.execute(deps.db);

  const counts = await ada.call(deleteApp, { params });
  assert.deepEqual(counts, { reportCount: 3, problemCount: 1, subscriberCount: 1, sourceMapCount: 1, cardCount: 1 });
  await assert.rejects(app.send(crash), /invalid_sdk_key/);
  for (const path of [
    `/apps/${app.appId}`,
    `/apps/${app.appId}/inbox`,
    `/events/${first}`,
    `/apps/${app.appId}/deletion`,
  ]) {
    assert.match(String((await ada("GET", path)).body.error), /_not_found$/, path);
  }
  assert.equal((await ada.call(createApp, { body: { name: "Shop" } })).slug, "shop");

  await eraseDeleted(deps);
  assert.deepEqual(await rowsOf(app.appId), ["apps"], "the row is kept for reports still in progress");
  clock.move(2 * 3_600_000);
  await eraseDeleted(deps);
  assert.deepEqual(await rowsOf(app.appId), []);
  for (const { store_key } of files) assert.equal(await deps.store.read(store_key), undefined);
  assert.deepEqual(await other.kept(), [othersEvent]);
  const card = await (await app.ada()).call(getTicket, { params: { ticketId } });
  assert.match(card.description, /The cart is empty/);
});

/** The tables with rows of an app, except records of the app itself. */
async function rowsOf(appId: string): Promise<string[]> {
  const { db } = lodge.deps;
  const { rows: tables } = await sql<{ table_name: string }>`
    select table_name from information_schema.columns
    where table_schema = 'public' and column_name = 'app_id' and table_name not in ('tickets', 'notices')`.execute(db);
  const found: string[] = [];
  for (const { table_name: name } of [...tables, { table_name: "apps" }]) {
    const column = name === "apps" ? "id" : "app_id";
    const { rows } = await sql`select from ${sql.table(name)} where ${sql.ref(column)} = ${appId} limit 1`.execute(db);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
