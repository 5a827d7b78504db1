import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import {
  applyRegrouping,
  assignProblem,
  changeProblem,
  eraseReports,
  getProblem,
  getRegrouping,
  listAudit,
  makeProblemCard,
  previewRegrouping,
  undoRegrouping,
  viewInbox,
} from "@lodge/contract/calls.generated";
import type { Envelope } from "@lodge/contract/envelope";
import { sql } from "kysely";
import { signedIn, visitor } from "../../testing/dashboard-client.ts";
import { makeOldProblem, pythonError } from "../../testing/old-problems.ts";
import { makePatientDatabase, type Service, startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";
import { readEvent } from "./read-events.ts";

// Regroups problems that an app had before version 2 of the grouping rules.

const started = new AsyncDisposableStack();
let lodge: Service;
before(async () => {
  const patient = started.use(await makePatientDatabase());
  lodge = started.use(await startService({ ...withWorker, ...patient.env }, patient.overrides));
});
after(() => started.disposeAsync());

async function makeApp() {
  const slug = `acme-${randomUUID()}`;
  const { apps, projects } = await lodge.apply({
    organisation: { name: "Acme", slug },
    members: [
      { email: `ada@${slug}.test`, name: "Ada", role: "admin" },
      { email: `bob@${slug}.test`, name: "Bob", role: "member" },
    ],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  });
  const [app] = apps;
  assert.ok(app);
  const appId = app.id;
  const ada = await signedIn(lodge, `ada@${slug}.test`);
  const bob = await signedIn(lodge, `bob@${slug}.test`);
  const send = async (envelope: Partial<Envelope>) => {
    const { eventId } = await submitReport(lodge.url, app.keys[0]?.key ?? "", { reportId: randomUUID(), ...envelope });
    await readEvent(lodge.deps, appId, eventId);
    return eventId;
  };
  /** Sends a report and groups it by version 1 of the rules, as when that was the only version. */
  const sendBefore = async (envelope: Partial<Envelope>) => {
    await makeOldProblem(lodge, appId, envelope);
    const eventId = await send(envelope);
    await sql`
      update problems set first_event_id = ${eventId} where app_id = ${appId} and first_event_id not in (
        select event_id from event_summaries where app_id = ${appId})`.execute(lodge.deps.db);
  };
  const problems = async () => {
    const query = { show: "problems" as const, state: "any" as const };
    const { entries } = await ada.call(viewInbox, { params: { appId }, query });
    return entries.flatMap((entry) => (entry.type === "problem" ? [entry.problem] : []));
  };
  const details = async () => {
    const all = await Promise.all(
      (await problems()).map(({ id }) => ada.call(getProblem, { params: { problemId: id } })),
    );
    return all.sort((one, other) => one.id.localeCompare(other.id));
  };
  const of = { params: { appId } };
  const comesTo = async (state: string) => {
    await until(async () => (await ada.call(getRegrouping, of)).state === state);
    return ada.call(getRegrouping, of);
  };
  const preview = async () => {
    await ada.call(previewRegrouping, of);
    return comesTo("planned");
  };
  const apply = async () => {
    await ada.call(applyRegrouping, of);
    return comesTo("applied");
  };
  const undo = async () => {
    await ada.call(undoRegrouping, of);
    return comesTo("none");
  };
  const columnId = projects[0]?.boards[0]?.columns[0]?.id ?? "";
  return { appId, of, ada, bob, columnId, send, sendBefore, problems, details, preview, apply, undo };
}

const grace = { user: { id: "grace" }, app: { version: "1.0.0" } };
const joan = { user: { id: "joan" }, app: { version: "1.1.0" } };

/** Version 1 groups these by their messages, which contain a name. */
const missing = (name: string) => pythonError("KeyError", `no user ${name}`, "find_user");
/** Version 1 groups these as one problem, since their messages are the same. */
const bad = (called: string) => pythonError("ValueError", "bad value", called);

async function makeOldProblems(app: Awaited<ReturnType<typeof makeApp>>) {
  for (const [envelope, from] of [
    [missing("anna"), grace],
    [missing("anna"), joan],
    [missing("bert"), grace],
    [bad("checkout"), grace],
    [bad("checkout"), joan],
    [bad("invoice"), joan],
  ] as const) {
    await app.sendBefore({ ...envelope, ...from });
  }
  const byTitle = new Map((await app.problems()).map((problem) => [problem.title, problem]));
  const [anna, bert, value] = ["KeyError: no user anna", "KeyError: no user bert", "ValueError: bad value"].map(
    (title) => byTitle.get(title),
  );
  assert.ok(anna && bert && value);
  assert.equal(byTitle.size, 3);
  return { anna, bert, value };
}

test("problems of version 1 are merged and split as previewed, keep the state of the latest, and undo restores them", async () => {
  const app = await makeApp();
  const { ada } = app;
  const { anna, bert, value } = await makeOldProblems(app);
  const params = (problem: { id: string }) => ({ params: { problemId: problem.id } });
  await ada.call(changeProblem, { ...params(anna), body: { state: "resolved", version: "1.1.0" } });
  await ada.call(makeProblemCard, { ...params(anna), body: { columnId: app.columnId } });
  await ada.call(changeProblem, { ...params(bert), body: { state: "muted" } });
  await ada.call(changeProblem, { ...params(value), body: { state: "muted" } });
  const { members } = (await ada("GET", "/members")).body as { members: { userId?: string; id?: string }[] };
  const userId = members[0]?.userId ?? members[0]?.id ?? "";
  await ada.call(assignProblem, { ...params(value), body: { userId } });
  const before = await app.details();

  const planned = await app.preview();
  assert.deepEqual(planned.preview, {
    mergedCount: 1,
    splitCount: 1,
    newCount: 1,
    merges: [{ title: planned.preview?.merges[0]?.title, titles: planned.preview?.merges[0]?.titles }],
    splits: [{ title: value.title, titles: planned.preview?.splits[0]?.titles }],
  });
  assert.match(planned.preview?.splits[0]?.titles.join() ?? "", /^ValueError: bad value, in [^,]*invoice/);
  const [merge] = planned.preview?.merges ?? [];
  assert.deepEqual([merge?.title, ...(merge?.titles ?? [])].sort(), [anna.title, bert.title]);
  assert.equal(planned.oldProblemCount, 3);
  assert.deepEqual(await app.details(), before, "a preview changes nothing");

  const applied = await app.apply();
  assert.equal(applied.oldProblemCount, 0);
  const after = new Map((await app.details()).map((problem) => [problem.id, problem]));
  assert.equal(after.size, 3);
  const merged = after.get(bert.id);
  assert.deepEqual(
    [merged?.state, merged?.eventCount, merged?.userCount, merged?.cardCount, merged?.title],
    ["muted", 3, 2, 1, bert.title],
  );
  assert.deepEqual([merged?.firstSeenAt, merged?.lastSeenAt], [anna.firstSeenAt, bert.lastSeenAt]);
  assert.deepEqual(merged?.versions.map((version) => [version.value, version.eventCount]).sort(), [
    ["1.0.0", 2],
    ["1.1.0", 1],
  ]);
  const [left, split] = [after.get(value.id), [...after.values()].find(({ id }) => ![value.id, bert.id].includes(id))];
  for (const [problem, events, users, versions] of [
    [left, 2, 2, ["1.0.0", "1.1.0"]],
    [split, 1, 1, ["1.1.0"]],
  ] as const) {
    assert.deepEqual(
      [problem?.state, problem?.assignee?.id, problem?.eventCount, problem?.userCount],
      ["muted", userId, events, users],
    );
    assert.deepEqual(problem?.versions.map((version) => version.value).sort(), versions);
    assert.equal(
      problem?.histogram.buckets.reduce((sum, { eventCount }) => sum + eventCount, 0),
      events,
    );
  }
  assert.equal(left?.firstSeenAt, value.firstSeenAt);
  assert.equal(split?.lastSeenAt, value.lastSeenAt);
  assert.match(split?.culprit ?? "", /invoice/);
  const { entries } = await ada.call(listAudit, { query: {} });
  assert.deepEqual(entries[0]?.details, { app: "Shop", changes: { grouping: { from: 1, to: 2 } } });

  await app.undo();
  assert.deepEqual(await app.details(), before);
});

test("after a regrouping, reports use the current rules; after an undo, they use the old ones; reports in between stay in their problems", async () => {
  const app = await makeApp();
  const { anna, bert, value } = await makeOldProblems(app);
  await app.preview();
  await app.apply();
  await app.send(missing("carl"));
  await app.send(bad("invoice"));
  const counts = async () => new Map((await app.problems()).map(({ id, eventCount }) => [id, eventCount]));
  const regrouped = await counts();
  const split = [...regrouped.keys()].find((id) => ![bert.id, value.id].includes(id)) ?? "";
  assert.deepEqual([regrouped.get(bert.id), regrouped.get(value.id), regrouped.get(split)], [4, 2, 2]);

  await app.undo();
  const undone = await counts();
  assert.deepEqual(
    [undone.get(anna.id), undone.get(bert.id), undone.get(value.id), undone.get(split), undone.size],
    [2, 2, 3, 1, 4],
  );
  await app.send(missing("anna"));
  await app.send(bad("invoice"));
  const later = await counts();
  assert.deepEqual([later.get(anna.id), later.get(value.id), later.size], [3, 4, 4]);
  // Regrouping is possible again after an undo.
  assert.equal((await app.preview()).oldProblemCount, 3);
  await app.apply();
  assert.equal((await counts()).size, 3);
});

test("regrouping adds old reports to problems of the current rules, and a second regrouping changes nothing", async () => {
  const app = await makeApp();
  await app.send(bad("invoice"));
  const [current] = await app.problems();
  assert.ok(current);
  await app.sendBefore(missing("anna"));
  await app.sendBefore(bad("checkout"));
  await app.sendBefore(bad("checkout"));
  await app.sendBefore(bad("invoice"));
  const { preview } = await app.preview();
  assert.deepEqual([preview?.mergedCount, preview?.splitCount, preview?.newCount], [0, 1, 0]);
  await app.apply();
  const problems = await app.problems();
  assert.equal(problems.length, 3);
  assert.equal(problems.find(({ id }) => id === current.id)?.eventCount, 2);
  const again = await app.preview();
  assert.deepEqual([again.oldProblemCount, again.preview?.mergedCount, again.preview?.splitCount], [0, 0, 0]);
});

test("only admins of the organisation can preview, apply and undo a regrouping, and only in the right state", async () => {
  const app = await makeApp();
  const stranger = await makeApp();
  const path = `/apps/${app.appId}/regrouping`;
  for (const [method, address] of [
    ["GET", path],
    ["POST", path],
    ["POST", `${path}/apply`],
    ["POST", `${path}/undo`],
  ] as const) {
    for (const [client, status, code] of [
      [app.bob, 403, "forbidden"],
      [stranger.ada, 404, "app_not_found"],
      [visitor(lodge), 401, "not_signed_in"],
    ] as const) {
      const answer = await client(method, address);
      assert.deepEqual([answer.status, answer.body.error], [status, code], `${method} ${address}`);
    }
  }
  const refused = async (action: string) => {
    const answer = await app.ada("POST", `${path}${action}`);
    assert.deepEqual([answer.status, answer.body.error], [409, "regrouping_not_ready"], action);
  };
  await refused("/apply");
  await refused("/undo");
  await makeOldProblems(app);
  await app.preview();
  await refused("/undo");
  await app.apply();
  await refused("/apply");
  assert.equal((await stranger.ada.call(getRegrouping, stranger.of)).state, "none");
});

test("after an erasure, a regrouping has no data of the person and can no longer be undone", async () => {
  const app = await makeApp();
  await app.sendBefore({ ...missing("anna"), user: { id: "anna" } });
  await app.sendBefore({ ...missing("bert"), ...grace });
  await app.preview();
  await app.apply();
  await app.ada.call(eraseReports, { body: { by: "user", value: "anna" } });
  assert.equal((await app.ada.call(getRegrouping, app.of)).state, "none");
  const { rows } = await sql`select from regroup_steps where app_id = ${app.appId}`.execute(lodge.deps.db);
  assert.equal(rows.length, 0);
  assert.deepEqual(
    (await app.problems()).map(({ eventCount }) => eventCount),
    [1],
  );
});
