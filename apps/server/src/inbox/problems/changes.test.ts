import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import {
  changeProblem,
  getEvent,
  getProblem,
  getTicket,
  getTicketReport,
  listActivities,
  makeEventCard,
  makeProblemCard,
  mergeProblems,
  moveTicket,
  splitProblem,
  viewInbox,
} from "@lodge/contract/calls.generated";
import { sql } from "kysely";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makePatientDatabase, type Service, startService, withWorker } from "../../testing/start-service.ts";
import { type Attachment, submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";
import { keepReading } from "./keep-reading.ts";
import { holdReading, readEvent } from "./read-events.ts";
import { returnCards } from "./return-cards.ts";

/**
 * The occurrences of a problem with one card. docs/decisions/problems.md measured `TEST_REPEATS=10000 npm test --
 * apps/server/src/inbox/problems/changes.test.ts`.
 */
const repeats = Number(process.env.TEST_REPEATS ?? 40);

const started = new AsyncDisposableStack();
let lodge: Service;
before(async () => {
  const patient = started.use(await makePatientDatabase());
  lodge = started.use(await startService({ ...withWorker, ...patient.env }, patient.overrides));
});
after(() => started.disposeAsync());

const stack = "TypeError: x\n    at addTax (https://shop.example.test/checkout.js:12:1841)";
const crash = { kind: "crash", error: { type: "TypeError", message: "x", stack } };
const other = { kind: "crash", error: { type: "RangeError", message: "far" } };

/** An organisation with an app whose reports go to a board. */
async function makeApp({ onBoard = true } = {}) {
  const slug = `acme-${randomUUID()}`;
  const { apps, projects } = await lodge.apply({
    organisation: { name: "Acme", slug },
    members: [{ email: `ada@${slug}.test`, name: "Ada", role: "member" }],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Doing", "Done"] }] }],
    apps: [
      {
        name: "Shop",
        slug: "shop",
        keys: ["default"],
        subscribers: onBoard ? [{ kind: "board", project: "web", board: "Inbox", column: "Backlog" }] : [],
      },
    ],
  });
  const [app] = apps;
  const columns = projects[0]?.boards[0]?.columns.map(({ id }) => id) ?? [];
  assert.ok(app);
  const ada = await signedIn(lodge, `ada@${slug}.test`);
  const report = async (envelope: Record<string, unknown>, attachments: readonly Attachment[] = []) => {
    const sent = await submitReport(
      lodge.url,
      app.keys[0]?.key ?? "",
      { reportId: randomUUID(), ...envelope },
      attachments,
    );
    await readEvent(lodge.deps, app.id, sent.eventId);
    return sent.eventId;
  };
  const problems = async () => {
    const query = { show: "problems" as const, state: "any" as const };
    const { entries } = await ada.call(viewInbox, { params: { appId: app.id }, query });
    return entries.flatMap((entry) => (entry.type === "problem" ? [entry.problem] : []));
  };
  const problemOf = async (eventId: string) => (await ada.call(getEvent, { params: { eventId } })).problem?.id ?? "";
  const settled = async () => {
    const open = () =>
      lodge.deps.db
        .selectFrom("deliveries")
        .select("id")
        .where("app_id", "=", app.id)
        .where("state", "in", ["waiting", "failed"])
        .execute();
    await until(async () => (await open()).length === 0);
  };
  const cards = () =>
    lodge.deps.db.selectFrom("tickets").selectAll().where("column_id", "in", columns).orderBy("id").execute();
  return { ada, appId: app.id, columns, report, problems, problemOf, settled, cards };
}

test("a resolved problem reopens in a newer version, and in no other", async () => {
  const { ada, report, problemOf } = await makeApp({ onBoard: false });
  const version = (name: string) => ({ ...crash, app: { version: name } });
  const problemId = await problemOf(await report(version("1.9.0")));
  const state = async () => {
    const { state: now, reopenedVersion } = await ada.call(getProblem, { params: { problemId } });
    return [now, reopenedVersion];
  };
  const resolve = (body: object = {}) =>
    ada.call(changeProblem, { params: { problemId }, body: { state: "resolved", ...body } });
  assert.equal(
    (await resolve()).resolvedVersion,
    "1.9.0",
    "a problem is resolved in the newest version of the app by default",
  );
  for (const old of ["1.9.0", "1.8.4", "1.9.0-beta.2"]) await report(version(old));
  await report(crash);
  assert.deepEqual(await state(), ["resolved", null]);
  await report(version("1.10.0"));
  assert.deepEqual(await state(), ["open", "1.10.0"]);

  await resolve({ version: "9f8e7d6" });
  await report(version("1.10.0"));
  assert.deepEqual(await state(), ["resolved", "1.10.0"], "a version seen earlier is not newer than a commit");
  await report(version("abcdef0"));
  assert.deepEqual(await state(), ["open", "abcdef0"]);
});

test("a muted problem is open again once its time is over", async () => {
  const { ada, report, problemOf, appId } = await makeApp({ onBoard: false });
  const problemId = await problemOf(await report(crash));
  const mute = (until: string) => ada.call(changeProblem, { params: { problemId }, body: { state: "muted", until } });
  assert.equal((await mute("2999-01-01T00:00:00Z")).state, "muted");
  await report(crash);
  const open = async () => (await ada.call(viewInbox, { params: { appId }, query: {} })).entries.length;
  assert.equal(await open(), 0);
  assert.deepEqual([(await mute("2000-01-01T00:00:00Z")).state, await open()], ["open", 1]);
});

test("problems are merged and split by their hashes, with their counts", async () => {
  const { ada, report, problems, problemOf } = await makeApp({ onBoard: false });
  const first = await problemOf(await report({ ...crash, installId: "a" }));
  const second = await problemOf(await report({ ...other, installId: "a" }));
  await report({ ...other, installId: "b" });
  const merged = await ada.call(mergeProblems, { params: { problemId: first }, body: { problemIds: [second, first] } });
  assert.deepEqual([merged.eventCount, merged.installCount, merged.hashes.length], [3, 2, 2]);
  await report({ ...other, installId: "a" });
  const same = await ada.call(mergeProblems, { params: { problemId: first }, body: { problemIds: [first] } });
  assert.equal(same.eventCount, 4, "merging a problem with itself changes nothing");
  const now = await problems();
  assert.deepEqual(
    now.map(({ id, eventCount, installCount }) => [id, eventCount, installCount]),
    [[first, 4, 2]],
  );
  assert.equal((await ada("GET", `/problems/${second}`)).body.error, "problem_not_found");

  const hash = merged.hashes.find(({ rule }) => rule === "message")?.hash ?? "";
  const split = await ada.call(splitProblem, { params: { problemId: first }, body: { hashes: [hash] } });
  assert.deepEqual([split.title, split.culprit, split.eventCount, split.installCount], ["RangeError: far", null, 3, 2]);
  assert.equal((await ada.call(getProblem, { params: { problemId: first } })).eventCount, 1);
  await report(other);
  assert.deepEqual((await problems()).map(({ eventCount }) => eventCount).sort(), [1, 4]);
  for (const hashes of [[hash], [randomUUID()]]) {
    const refused = await ada("POST", `/problems/${split.id}/split`, { hashes });
    assert.equal(refused.body.error, "hash_not_found", "a problem keeps its last hash, and unknown hashes are refused");
  }
});

test("when two people merge each other's problem, one of them gets problem_not_found", async () => {
  const { ada, appId, report, problems, problemOf } = await makeApp({ onBoard: false });
  const first = await problemOf(await report(crash));
  const second = await problemOf(await report(other));
  const merge = (into: string, from: string) => ada("POST", `/problems/${into}/merge`, { problemIds: [from] });
  const bothWait = async () => {
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::integer as waiting from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where locktype = 'advisory' and not granted and datname = current_database()`.execute(lodge.deps.db);
    return rows[0]?.waiting === 2;
  };
  const answers = await lodge.deps.db.transaction().execute(async (tx) => {
    await holdReading(tx, appId);
    const merging = Promise.all([merge(first, second), merge(second, first)]);
    await until(bothWait);
    return { merging };
  });
  const codes = (await answers.merging).map(({ status, body }) => [status, body.error]).toSorted();
  assert.deepEqual(codes, [
    [200, undefined],
    [404, "problem_not_found"],
  ]);
  assert.deepEqual(
    (await problems()).map(({ eventCount }) => eventCount),
    [2],
  );
});

test("splitting merged problems gives each its card back, and their board files no further card", async () => {
  const { ada, report, problemOf, settled, cards } = await makeApp();
  const first = await problemOf(await report(crash));
  const second = await problemOf(await report(other));
  await settled();
  const titleOf = new Map((await cards()).map(({ id, title }) => [id, title]));
  const titlesOf = async (problemId: string) => {
    const problem = await ada.call(getProblem, { params: { problemId } });
    return problem.cards.map(({ ticketId }) => titleOf.get(ticketId));
  };
  const merged = await ada.call(mergeProblems, { params: { problemId: first }, body: { problemIds: [second] } });
  await report(other);
  await settled();
  assert.deepEqual((await titlesOf(first)).toSorted(), ["RangeError: far", "TypeError: x"]);
  const hash = merged.hashes.find(({ rule }) => rule === "message")?.hash ?? "";
  const split = await ada.call(splitProblem, { params: { problemId: first }, body: { hashes: [hash] } });
  assert.deepEqual([await titlesOf(first), await titlesOf(split.id)], [["TypeError: x"], ["RangeError: far"]]);
  await Promise.all([report(crash), report(other)]);
  await settled();
  assert.equal((await cards()).length, 2);
});

test("a card that is being filed during a merge becomes a card of the remaining problem", async () => {
  const { ada, report, problemOf, settled, cards } = await makeApp();
  const second = await problemOf(await report(other));
  await settled();
  const isFiling = async () => {
    const { rows } = await sql`
      select from pg_locks where relation = 'tickets'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`.execute(lodge.deps.db);
    return rows.length > 0;
  };
  const first = await lodge.deps.db.transaction().execute(async (tx) => {
    await sql`lock table tickets in share mode`.execute(tx);
    const filing = await problemOf(await report(crash));
    await until(isFiling);
    await ada.call(mergeProblems, { params: { problemId: second }, body: { problemIds: [filing] } });
    return filing;
  });
  await settled();
  assert.equal((await ada("GET", `/problems/${first}`)).status, 404);
  const merged = await ada.call(getProblem, { params: { problemId: second } });
  assert.deepEqual(
    merged.cards.map(({ ticketId }) => ticketId),
    (await cards()).map(({ id }) => id),
  );
  assert.equal(merged.cards.length, 2);
});

test("many reports of a problem become one card, with the stack and the pictures, and the card returns when the problem reopens", async () => {
  const { ada, columns, report, problemOf, settled, cards } = await makeApp();
  const [backlog = "", , done = ""] = columns;
  const picture = { partName: "shot", bytes: new Uint8Array([1]), filename: "shot.png", contentType: "image/png" };
  const version = (name: string) => ({ ...crash, app: { version: name } });
  const sent: string[] = [];
  while (sent.length < repeats) {
    const among = Array.from({ length: Math.min(40, repeats - sent.length) }, (_, index) => index + sent.length);
    sent.push(...(await Promise.all(among.map((index) => report(version("1.0.0"), index === 0 ? [picture] : [])))));
  }
  await report({ kind: "feedback", title: "Nice" });
  await settled();
  const [card, feedback, ...more] = (await cards()).toSorted((a, b) => (a.title < b.title ? 1 : -1));
  assert.ok(card && feedback);
  assert.deepEqual([card.title, feedback.title, more.length], ["TypeError: x", "Nice", 0]);
  assert.match(card.description, /at addTax \(https:\/\/shop/);
  const problemId = await problemOf(sent[0] ?? "");
  assert.match(card.description, new RegExp(`/problems/${problemId}$`));
  const { cards: linked, eventCount } = await ada.call(getProblem, { params: { problemId } });
  assert.deepEqual([linked.map(({ ticketId }) => ticketId), eventCount], [[card.id], repeats]);
  const reported = async (ticketId: string) => (await ada.call(getTicket, { params: { ticketId } })).report;
  assert.deepEqual(await reported(card.id), {
    problemId,
    eventCount: repeats,
    installCount: 0,
    userCount: 0,
    isUserCountExact: true,
  });
  assert.deepEqual(await reported(feedback.id), {
    problemId: null,
    eventCount: 1,
    installCount: 0,
    userCount: 0,
    isUserCountExact: true,
  });
  const about = await ada.call(getTicketReport, { params: { ticketId: card.id } });
  assert.deepEqual(
    [
      about.problem?.id,
      about.problem?.eventCount,
      about.frames[0]?.function,
      about.pictures.map(({ filename }) => filename),
    ],
    [problemId, repeats, "addTax", ["shot.png"]],
  );
  assert.equal((await fetch(about.pictures[0]?.url ?? "")).status, 200);

  const isDone = () => lodge.deps.db.updateTable("columns").set({ is_done: true }).where("id", "=", done).execute();
  await isDone();
  await ada.call(moveTicket, { params: { ticketId: card.id }, body: { columnId: done, belowTicketId: null } });
  await ada.call(changeProblem, { params: { problemId }, body: { state: "resolved" } });
  await report(version("1.0.0"));
  await settled();
  assert.equal((await ada.call(getTicket, { params: { ticketId: card.id } })).columnId, done);
  await report(version("1.1.0"));
  await settled();
  await until(async () => (await ada.call(getTicket, { params: { ticketId: card.id } })).columnId === backlog);
  const { activities } = await ada.call(listActivities, { params: { ticketId: card.id }, query: {} });
  assert.deepEqual(
    [activities[0]?.kind, activities[0]?.actor.kind, activities[0]?.from, activities[0]?.to],
    ["ticket.moved", "app", "Done", "Backlog"],
  );
  assert.equal((await cards()).length, 2);
});

test("a card that could not return because the database failed returns later", async (t) => {
  const { ada, appId, columns, report, problemOf, settled, cards } = await makeApp();
  const [backlog = "", , done = ""] = columns;
  const problemId = await problemOf(await report(crash));
  await settled();
  const [card] = await cards();
  assert.ok(card);
  await lodge.deps.db.updateTable("columns").set({ is_done: true }).where("id", "=", done).execute();
  const columnOf = async () => (await ada.call(getTicket, { params: { ticketId: card.id } })).columnId;
  /** Recreates the state after a delivery reopened the problem and then lost its database. */
  const reopen = async () => {
    await ada.call(moveTicket, { params: { ticketId: card.id }, body: { columnId: done, belowTicketId: null } });
    const reopened = lodge.deps.db.updateTable("problems").set({ reopened_at: new Date() }).where("id", "=", problemId);
    await reopened.where("app_id", "=", appId).execute();
  };
  await reopen();
  let isAway = false;
  const reading = keepReading({
    ...lodge.deps,
    get pool() {
      if (!isAway) return lodge.deps.pool;
      isAway = false;
      throw new Error("Connection terminated unexpectedly");
    },
  });
  t.after(() => reading.stop());
  await until(async () => (await columnOf()) === backlog); // at its start, it returns the cards that were left
  await reopen();
  assert.equal(await columnOf(), done);
  isAway = true;
  await until(async () => (await columnOf()) === backlog);
});

test("a card that was made or merged in after its problem reopened stays done", async () => {
  const { ada, columns, report, problemOf } = await makeApp({ onBoard: false });
  const [backlog = "", , done = ""] = columns;
  await lodge.deps.db.updateTable("columns").set({ is_done: true }).where("id", "=", done).execute();
  const version = (name: string) => ({ ...crash, app: { version: name } });
  const finish = async (problemId: string) => {
    const { ticketId } = await ada.call(makeProblemCard, { params: { problemId }, body: { columnId: backlog } });
    await ada.call(moveTicket, { params: { ticketId }, body: { columnId: done, belowTicketId: null } });
    return ticketId;
  };
  const columnOf = async (ticketId: string) => (await ada.call(getTicket, { params: { ticketId } })).columnId;
  const problemId = await problemOf(await report(version("1.0.0")));
  const otherId = await problemOf(await report(other));
  const ofOther = await finish(otherId);
  await ada.call(changeProblem, { params: { problemId }, body: { state: "resolved" } });
  await report(version("1.1.0"));
  const late = await finish(problemId);
  await ada.call(mergeProblems, { params: { problemId }, body: { problemIds: [otherId] } });
  await returnCards(lodge.deps); // as every worker does when it starts
  assert.deepEqual([await columnOf(late), await columnOf(ofOther)], [done, done]);

  await ada.call(changeProblem, { params: { problemId }, body: { state: "resolved" } });
  await report(version("1.2.0"));
  for (const ticketId of [late, ofOther]) await until(async () => (await columnOf(ticketId)) === backlog);
});

test("a card is created from a stack whose lines are cut within a character", async () => {
  const { ada, columns, report, problemOf } = await makeApp({ onBoard: false });
  const [columnId = ""] = columns;
  const lines = ["", "x"].map(
    (begin) => `    at ${begin}${"\u{1F41B}".repeat(200)} (https://shop.example.test/a.js:1:2)`,
  );
  const problemId = await problemOf(await report({ ...crash, error: { ...crash.error, stack: lines.join("\n") } }));
  const made = await ada.call(makeProblemCard, { params: { problemId }, body: { columnId } });
  const { description } = await ada.call(getTicket, { params: { ticketId: made.ticketId } });
  assert.equal(description.split("\u{1F41B}").length, 2 * 148 + 1);
});

test("a member creates cards of problems and of single reports, and each links to the other", async () => {
  const { ada, columns, report, problemOf } = await makeApp({ onBoard: false });
  const [columnId = ""] = columns;
  const eventId = await report(crash);
  const problemId = await problemOf(eventId);
  const ofProblem = await ada.call(makeProblemCard, { params: { problemId }, body: { columnId } });
  const again = await ada.call(makeEventCard, { params: { eventId }, body: { columnId } });
  const { cards } = await ada.call(getProblem, { params: { problemId } });
  assert.deepEqual(
    cards.map(({ ticketId }) => ticketId),
    [ofProblem.ticketId, again.ticketId],
  );
  const single = await report({ kind: "feedback", title: "Nice", message: "Very" });
  const ofEvent = await ada.call(makeEventCard, { params: { eventId: single }, body: { columnId } });
  assert.deepEqual((await ada.call(getEvent, { params: { eventId: single } })).cards, [ofEvent]);
  const about = await ada.call(getTicketReport, { params: { ticketId: ofEvent.ticketId } });
  assert.deepEqual([about.problem, about.eventId], [null, single]);
  const refused = await ada("POST", `/problems/${problemId}/cards`, { columnId: randomUUID() });
  assert.equal(refused.body.error, "column_not_found");
});
