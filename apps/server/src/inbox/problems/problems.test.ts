import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import {
  getEvent,
  getEventPlace,
  getInboxHistogram,
  getProblem,
  listInboxChoices,
  listInboxes,
  listProblemEvents,
  viewInbox,
} from "@lodge/contract/calls.generated";
import type { InboxFilter, InboxPage } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import { begin } from "../../testing/begin.ts";
import { type DashboardClient, signedIn } from "../../testing/dashboard-client.ts";
import { makePatientDatabase, type Service, startService } from "../../testing/start-service.ts";
import { type Attachment, submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";
import { groupByVersion1 } from "./group-report-1.ts";
import { readEvent, readEvents } from "./read-events.ts";

const started = new AsyncDisposableStack();
let lodge: Service;
before(async () => {
  const patient = started.use(await makePatientDatabase());
  lodge = started.use(await startService(patient.env, patient.overrides));
});
after(() => started.disposeAsync());

const stack = `TypeError: x is undefined
    at addTax (https://shop.example.test/assets/checkout-B7f3a9c1.js:12:1841)
    at render (https://shop.example.test/node_modules/react/index.js:1:1)`;
const crash = { kind: "crash", error: { type: "TypeError", message: "x is undefined", stack } };

/** An organisation with an app, and helpers for both. */
async function makeApp({ replies = false } = {}) {
  const slug = `acme-${randomUUID()}`;
  const { organisation, apps } = await lodge.apply({
    organisation: { name: "Acme", slug },
    members: [{ email: `ada@${slug}.test`, name: "Ada", role: "member" }],
    apps: [{ name: "Shop", slug: "shop", keys: ["default"], replies }],
  });
  const [app] = apps;
  assert.ok(app);
  const ada = await signedIn(lodge, `ada@${slug}.test`);
  const send = (envelope: Record<string, unknown>, attachments: readonly Attachment[] = []) =>
    submitReport(lodge.url, app.keys[0]?.key ?? "", { reportId: randomUUID(), ...envelope }, attachments);
  /** Sends a report, and waits until it is in the inbox. */
  const report = async (envelope: Record<string, unknown>, attachments: readonly Attachment[] = []) => {
    const { eventId } = await send(envelope, attachments);
    await readEvent(lodge.deps, app.id, eventId);
    return eventId;
  };
  const inbox = (query: InboxFilter = {}) => ada.call(viewInbox, { params: { appId: app.id }, query });
  return { organisationId: organisation.id, appId: app.id, ada, send, report, inbox };
}

const titles = ({ entries }: InboxPage) =>
  entries.map((entry) =>
    entry.type === "problem" ? `${entry.problem.title} ×${entry.problem.eventCount}` : entry.event.title,
  );

/** The only problem of an inbox. */
async function onlyProblem({ inbox }: { inbox: (query?: InboxFilter) => Promise<InboxPage> }) {
  const { entries } = await inbox({ show: "problems", state: "any" });
  assert.equal(entries.length, 1);
  const [entry] = entries;
  assert.ok(entry?.type === "problem");
  return entry.problem;
}

test("a problem of version 1 of the grouping rules keeps receiving its reports, and new problems use the current rules", async () => {
  const app = await makeApp();
  const error = {
    type: "ValueError",
    message: "no row 7",
    stack: 'Traceback (most recent call last):\n  File "/app/a.py", line 3, in f\nValueError: no row 7',
  };
  const old = groupByVersion1({ error }, []);
  assert.ok(old);
  await app.report({ error });
  // Delete the rows that refer to the hash, so that it can change.
  for (const table of ["problem_texts", "problem_facets", "problem_days", "problem_installs", "problem_users"]) {
    await sql`delete from ${sql.table(table)} where app_id = ${app.appId}`.execute(lodge.deps.db);
  }
  await sql`update problem_hashes set hash = ${old.hash}, rule_version = 1 where app_id = ${app.appId}`.execute(
    lodge.deps.db,
  );
  await app.report({ error });
  const { id, eventCount } = await onlyProblem(app);
  assert.equal(eventCount, 2);
  const { hashes } = await app.ada.call(getProblem, { params: { problemId: id } });
  assert.deepEqual(
    hashes.map(({ ruleVersion }) => ruleVersion),
    [1],
  );
  await app.report({ error: { ...error, type: "TypeError" } });
  const { entries } = await app.inbox({ show: "problems" });
  assert.equal(entries.length, 2);
});

test("an event shows its chain of causes, its threads, and the frame in which it failed", async () => {
  const app = await makeApp();
  const error = {
    type: "com.acme.SaveException",
    message: "no save",
    stack: `com.acme.SaveException: no save
\tat com.acme.Store.save(Store.java:9)
\tat java.lang.Thread.run(Thread.java:748)
Caused by: java.lang.NullPointerException: item
\tat java.util.Objects.requireNonNull(Objects.java:228)
\tat com.acme.Stock.take(Stock.java:4)
\t... 2 more`,
  };
  const eventId = await app.report({ platform: "java", level: "error", error });
  const event = await app.ada.call(getEvent, { params: { eventId } });
  assert.deepEqual([event.platform, event.level, event.error?.language], ["java", "error", "jvm"]);
  assert.deepEqual(
    event.error?.causes.map(({ type, message, frames }) => [type, message, frames.map((frame) => frame.function)]),
    [["java.lang.NullPointerException", "item", ["requireNonNull", "take", "save", "run"]]],
  );
  const culprits = [event.error, ...(event.error?.causes ?? [])].flatMap(
    (one) => one?.frames.filter((frame) => frame.isCulprit) ?? [],
  );
  assert.deepEqual(
    culprits.map(({ module, line, isOwn }) => [module, line, isOwn]),
    [["com.acme.Stock", 4, true]],
  );
  assert.equal((await onlyProblem(app)).culprit, "com.acme.Stock.take (Stock.java)");
  const panic =
    "panic: no\n\ngoroutine 1 [running]:\nmain.main()\n\t/app/main.go:3 +0x1\n\ngoroutine 7 [select]:\nmain.wait()\n\t/app/wait.go:9 +0x1";
  const inGo = await app.ada.call(getEvent, {
    params: { eventId: await app.report({ error: { type: "panic", message: "no", stack: panic } }) },
  });
  assert.deepEqual(
    inGo.error?.threads.map(({ name, frames }) => [name, frames.length]),
    [["goroutine 7 [select]", 1]],
  );
  const context = { before: ["a = 1"], line: "b = a.c", after: [] };
  const sent = {
    type: "E",
    message: "m",
    frames: [{ function: "f", file: "x.py", line: 2, context }],
    causes: [{ type: "C", message: "c" }],
  };
  const structured = await app.ada.call(getEvent, { params: { eventId: await app.report({ error: sent }) } });
  assert.deepEqual(
    structured.error?.frames.map((frame) => frame.context),
    [context],
  );
  assert.deepEqual(
    structured.error?.causes.map(({ type }) => type),
    ["C"],
  );
});

test("crashes with one cause are one problem, with their count, installs, versions, and the strings that were hashed", async () => {
  const app = await makeApp();
  const first = await app.report({
    ...crash,
    installId: "a",
    app: { version: "1.9.0", environment: "production" },
    tags: { browser: "Firefox" },
  });
  await app.report({ ...crash, installId: "b", app: { version: "1.10.0", environment: "production" } });
  const last = await app.report({ ...crash, installId: "a", app: { version: "1.10.0", environment: "staging" } });
  const { id } = await onlyProblem(app);
  const problem = await app.ada.call(getProblem, { params: { problemId: id } });
  const { title, culprit, state, eventCount, installCount, firstVersion, lastVersion, firstEventId, lastEventId } =
    problem;
  assert.deepEqual(
    { title, culprit, state, eventCount, installCount, firstVersion, lastVersion, firstEventId, lastEventId },
    {
      title: "TypeError: x is undefined",
      culprit: "addTax (assets/checkout.js)",
      state: "open",
      eventCount: 3,
      installCount: 2,
      firstVersion: "1.9.0",
      lastVersion: "1.10.0",
      firstEventId: first,
      lastEventId: last,
    },
  );
  assert.deepEqual(
    problem.hashes.map(({ rule, ruleVersion, strings, eventCount }) => ({ rule, ruleVersion, strings, eventCount })),
    [{ rule: "own_frames", ruleVersion: 2, strings: ["TypeError", "addTax@assets/checkout.js"], eventCount: 3 }],
  );
  const counts = (list: { value: string; eventCount: number }[]) =>
    list.map(({ value, eventCount }) => `${value} ×${eventCount}`);
  assert.deepEqual(counts(problem.versions), ["1.10.0 ×2", "1.9.0 ×1"]);
  assert.deepEqual(counts(problem.environments), ["production ×2", "staging ×1"]);
  assert.deepEqual(counts(problem.tags), ["browser=Firefox ×1"]);
  assert.equal(problem.histogram.buckets.at(-1)?.eventCount, 3);
  const { events } = await app.ada.call(listProblemEvents, { params: { problemId: id }, query: {} });
  assert.deepEqual([events[0]?.id, events.length, events[2]?.id], [last, 3, first]);
  const middle = await app.ada.call(getEvent, { params: { eventId: events[1]?.id ?? "" } });
  assert.deepEqual([middle.problem?.id, middle.newerEventId, middle.olderEventId], [id, last, first]);
});

test("feedback and questions are not grouped, and a fingerprint of the app decides", async () => {
  const app = await makeApp();
  for (const kind of ["feedback", "question", "feedback"])
    await app.report({ kind, title: "Nice", fingerprint: ["x"] });
  for (const message of ["one", "another"])
    await app.report({ error: { type: "Error", message }, fingerprint: ["a", "b"] });
  const page = await app.inbox();
  assert.deepEqual(titles(page), ["Error: one ×2", "Nice", "Nice", "Nice"]);
  const { hashes } = await app.ada.call(getProblem, { params: { problemId: (await onlyProblem(app)).id } });
  assert.deepEqual([hashes[0]?.rule, hashes[0]?.strings], ["fingerprint", ["a", "b"]]);
  assert.deepEqual(titles(await app.inbox({ show: "reports" })), ["Nice", "Nice", "Nice"]);
});

test("each event is counted once, however many readers run at the same time", async () => {
  const app = await makeApp();
  const sent = await Promise.all(Array.from({ length: 40 }, () => app.send(crash)));
  await Promise.all([
    ...sent.map(({ eventId }) => readEvent(lodge.deps, app.appId, eventId)),
    ...Array.from({ length: 8 }, () => readEvents(lodge.deps)),
  ]);
  assert.equal((await onlyProblem(app)).eventCount, 40);
  const { inboxes } = await app.ada.call(listInboxes);
  assert.deepEqual(
    inboxes.map(({ openProblemCount, waitingCount }) => [openProblemCount, waitingCount]),
    [[1, 0]],
  );
});

test("several readers read apps in parallel, and another one takes over the events of a killed reader, in order", async () => {
  const { pool, db } = lodge.deps;
  const [stuck, free] = [await makeApp(), await makeApp()];
  for (const app of [stuck, free]) await app.report(crash);
  const somebody = await pool.connect(); // locks a problem, so that its reader waits
  await somebody.query(begin);
  await somebody.query("select from problems where app_id = $1 for update", [stuck.appId]);
  for (const version of ["1.0.0", "2.0.0", "3.0.0"]) await stuck.send({ ...crash, app: { version } });
  const killed = assert.rejects(readEvents(lodge.deps));
  const waiting = sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await until(async () => (await waiting.execute(db)).rows.length === 1);
  for (let report = 0; report < 3; report++) await free.send(crash);
  assert.equal((await readEvents(lodge.deps)).count, 3, "a second reader reads the other app");
  assert.equal((await onlyProblem(free)).eventCount, 4);
  assert.equal((await readEvents(lodge.deps)).count, 0, "no reader takes an app that another one is reading");
  for (const { pid } of (await waiting.execute(db)).rows) await sql`select pg_terminate_backend(${pid})`.execute(db);
  await killed;
  await somebody.query("rollback");
  somebody.release();
  assert.equal((await readEvents(lodge.deps)).count, 3);
  const { eventCount, lastVersion } = await onlyProblem(stuck);
  assert.deepEqual([eventCount, lastVersion], [4, "3.0.0"]);
});

test("an inbox can be filtered, searched, sorted and paged", async () => {
  const app = await makeApp();
  const other = { kind: "crash", error: { type: "RangeError", message: "too far: 4711" } };
  await app.report({ ...other, app: { version: "2.0.0", environment: "staging" } });
  await app.report({ ...crash, tags: { plan: "pro" } });
  await app.report({ ...crash, error: { ...crash.error, message: "y is undefined" } });
  const bytes = new Uint8Array([1]);
  await app.report({ kind: "feedback", title: "Dark mode", message: "please, 100% dark" }, [{ partName: "a", bytes }]);
  await app.report({ kind: "feedback", message: "It is _slow_", app: { environment: "staging" } });
  const found = async (query: InboxFilter) => titles(await app.inbox(query)).map((title) => title.replace(/ ×.*/, ""));
  const [range, type, dark, slow] = [
    "RangeError: too far: 4711",
    "TypeError: x is undefined",
    "Dark mode",
    "It is _slow_",
  ];
  assert.deepEqual(await found({}), [slow, dark, type, range]);
  assert.deepEqual(await found({ order: "frequent" }), [type, slow, dark, range]);
  assert.deepEqual(await found({ kind: "crash" }), [type, range]);
  assert.deepEqual(await found({ environment: "staging" }), [slow, range]);
  assert.deepEqual(await found({ environment: "staging", kind: "crash", version: "2.0.0" }), [range]);
  assert.deepEqual(await found({ tag: "plan=pro" }), [type]);
  assert.deepEqual(await found({ attachments: "true" }), [dark]);
  assert.deepEqual(await found({ text: "UNDEFINED" }), [type]);
  assert.deepEqual(await found({ text: "y is undef" }), [type], "later occurrences are searched too");
  assert.deepEqual(
    await found({ text: "undefined of" }),
    [],
    "the whole text must match, not only the part that the index finds",
  );
  assert.deepEqual(await found({ text: "100%" }), [dark]);
  assert.deepEqual(await found({ text: "_slow_" }), [slow]);
  assert.deepEqual(await found({ text: "xslowx" }), []);
  assert.deepEqual(await found({ state: "resolved" }), []);
  assert.deepEqual(await found({ until: "2000-01-01T00:00:00Z" }), []);
  assert.deepEqual((await found({ from: "2000-01-01T00:00:00Z" })).length, 4);
  const choices = await app.ada.call(listInboxChoices, { params: { appId: app.appId } });
  assert.deepEqual(
    [choices.environments, choices.versions, choices.tags].map((list) => list.map(({ value }) => value)),
    [["staging"], ["2.0.0"], ["plan=pro"]],
  );
  const { buckets } = await app.ada.call(getInboxHistogram, { params: { appId: app.appId }, query: { kind: "crash" } });
  assert.deepEqual([buckets.length, buckets.reduce((sum, { eventCount }) => sum + eventCount, 0)], [28, 3]);
});

test("unusual times are accepted as filters or refused", async () => {
  const app = await makeApp();
  await app.report(crash);
  const problem = await onlyProblem(app);
  const leap = "2016-12-31T23:59:60Z";
  for (const time of ["0000-01-01T00:00:00Z", "2024-01-01T00:00:00+23:59", "2024-01-01T00:00:00-23:59"]) {
    assert.deepEqual(
      [(await app.inbox({ from: time })).entries.length, titles(await app.inbox({ until: time }))],
      [1, []],
    );
    const muted = await app.ada("PATCH", `/problems/${problem.id}`, { state: "muted", until: time });
    assert.deepEqual([muted.status, muted.body.state], [200, "open"], "the mute is over");
  }
  const refused = [
    await app.ada("GET", `/apps/${app.appId}/inbox?from=${leap}`),
    await app.ada("GET", `/apps/${app.appId}/inbox?until=${leap}`),
    await app.ada("PATCH", `/problems/${problem.id}`, { state: "muted", until: leap }),
  ];
  for (const { status, body } of refused) assert.deepEqual([status, body.error], [400, "invalid_input"]);
});

test("pages of an inbox follow each other in both orders, without gaps", async () => {
  const app = await makeApp();
  const reports = Array.from({ length: 66 }, (_, report) => [
    { kind: "feedback", title: `feedback ${report}` },
    ...Array.from({ length: 1 + (report % 3) }, () => ({ fingerprint: [`${report}`] })),
  ]);
  await Promise.all(reports.flat().map((envelope) => app.send(envelope)));
  while ((await readEvents(lodge.deps)).count > 0);
  for (const order of ["newest", "frequent"] as const) {
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page: InboxPage = await app.inbox({ order, ...(cursor !== undefined && { cursor }) });
      seen.push(...page.entries.map((entry) => (entry.type === "problem" ? entry.problem.id : entry.event.id)));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual([seen.length, new Set(seen).size], [132, 132], order);
  }
  const refused = await app.ada("GET", `/apps/${app.appId}/inbox?cursor=x`);
  assert.deepEqual([refused.status, refused.body.error], [400, "invalid_input"]);
});

test("an event page shows everything that was sent, even markup, invalid characters and deep nesting", async () => {
  const app = await makeApp({ replies: true });
  const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`) as unknown;
  const eventId = await app.report(
    {
      ...crash,
      title: "<script>alert(1)</script>",
      message: "a\u0000b\ud800",
      user: { name: "Ada", email: "ada@example.test" },
      app: { version: "1.0.0" },
      device: { os: "iOS" },
      sdk: { name: "@lodge/sdk", version: "1" },
      breadcrumbs: [{ at: "2026-11-21T10:00:00Z", category: "ui", message: "click", data: { x: 1 } }],
      tags: { __proto__: "x", constructor: "y" },
      context: { deep },
      dropped: [{ partName: "video", reason: "too large", byteLength: 9 }],
    },
    [
      { partName: "shot", bytes: new Uint8Array([137, 80, 78, 71]), filename: "a.png", contentType: "image/png" },
      { partName: "page", bytes: new TextEncoder().encode("<script>alert(1)</script>"), contentType: "text/html" },
      { partName: "svg", bytes: new TextEncoder().encode("<svg onload='alert(1)'/>"), contentType: "image/svg+xml" },
    ],
  );
  const event = await app.ada.call(getEvent, { params: { eventId } });
  assert.equal(event.title, "<script>alert(1)</script>");
  assert.deepEqual(
    [event.user, event.device, event.sdk],
    [{ name: "Ada", email: "ada@example.test" }, { os: "iOS" }, "@lodge/sdk 1"],
  );
  assert.deepEqual(
    event.error?.frames.map(({ function: name, line, isOwn }) => [name, line, isOwn]),
    [
      ["addTax", 12, true],
      ["render", 1, false],
    ],
  );
  assert.deepEqual(event.breadcrumbs[0]?.data, { x: 1 });
  assert.deepEqual(event.dropped, [{ partName: "video", reason: "too large", byteLength: 9 }]);
  assert.deepEqual(
    event.attachments.map(({ preview }) => preview),
    ["image", "text", null],
  );
  for (const { url } of event.attachments) {
    const { status, headers } = await fetch(url ?? "");
    assert.deepEqual([status, headers.get("content-security-policy")], [200, "default-src 'none'; sandbox"]);
    assert.match(headers.get("content-disposition") ?? "", /^attachment/);
  }
  const raw = (await (await fetch(event.envelopeUrl)).json()) as { title: string };
  assert.equal(raw.title, "<script>alert(1)</script>");
  assert.ok(event.threadId);
  assert.equal(event.isCut, false);
});

test("a crash whose stack contains characters that a database cannot store appears in the inbox", async () => {
  const app = await makeApp();
  const half = `x${"\u{1F41B}".repeat(150)}`; // is cut within a character
  for (const file of ["a\u0000b.js", "a\ud800b.js", half]) {
    await app.report({ ...crash, error: { ...crash.error, stack: `TypeError: x\n    at f (/srv/${file}:1:2)` } });
  }
  const { entries } = await app.inbox();
  assert.deepEqual(
    entries.map((entry) => entry.type === "problem" && entry.problem.culprit),
    [`x${"\u{1F41B}".repeat(99)}\uFFFD`, "a\uFFFDb.js"],
  );
});

test("large envelopes and long stacks are shown in part, and are whole in the raw envelope", async () => {
  const app = await makeApp();
  const lines = Array.from({ length: 5_000 }, (_, line) => `    at f (https://x.test/a.js:${line}:1)`).join("\n");
  const eventId = await app.report({
    error: { type: "Error", message: "x", stack: `Error: x\n${lines}` },
    context: { text: "x".repeat(4_000_000) },
    tags: { long: "y".repeat(100_000) },
  });
  const event = await app.ada.call(getEvent, { params: { eventId } });
  assert.deepEqual([event.isCut, event.context, event.error?.frames.length], [true, null, 200]);
  assert.ok((event.error?.frameCount ?? 0) > 1_000);
  assert.equal(event.tags.long?.length, 2_000);
  assert.ok((await (await fetch(event.envelopeUrl)).text()).length > 4_000_000);
  assert.equal((await onlyProblem(app)).eventCount, 1);
});

test("the URL of an event leads members of its organisation to it, and nobody else", async () => {
  const app = await makeApp();
  const { ada: eve } = await makeApp();
  const place = async (who: DashboardClient, eventId: string) => (await who("GET", `/events/${eventId}/place`)).text;
  const eventId = await app.report(crash);
  const problemId = (await onlyProblem(app)).id;
  assert.deepEqual(await app.ada.call(getEventPlace, { params: { eventId } }), {
    organisationId: app.organisationId,
    appId: app.appId,
    problemId,
  });
  assert.match(await place(eve, eventId), /"event_not_found"/);
  assert.equal(await place(eve, eventId), await place(eve, randomUUID()));
});

test("the number of distinct values that a key can create is bounded", async () => {
  const app = await makeApp();
  const tags = (report: number) =>
    Object.fromEntries(Array.from({ length: 20 }, (_, tag) => [`tag${tag}`, `value ${report}`]));
  await Promise.all(
    Array.from({ length: 60 }, (_, report) =>
      app.send({ ...crash, error: { ...crash.error, message: `variant ${report}` }, tags: tags(report) }),
    ),
  );
  while ((await readEvents(lodge.deps)).count > 0);
  await app.report({ ...crash, tags: { last: "one" }, error: { ...crash.error, message: "the last variant" } });
  const rows = async (table: "problem_facets" | "problem_texts") =>
    (await lodge.deps.db.selectFrom(table).select("app_id").where("app_id", "=", app.appId).execute()).length;
  assert.ok((await rows("problem_texts")) <= 61, "one batch may exceed the bound, later ones add nothing");
  const texts = await rows("problem_texts");
  const facets = await rows("problem_facets");
  await app.report({ ...crash, tags: { another: "one" }, error: { ...crash.error, message: "yet another" } });
  assert.deepEqual([await rows("problem_texts"), await rows("problem_facets")], [texts, facets]);
  assert.equal((await onlyProblem(app)).eventCount, 62);
});
