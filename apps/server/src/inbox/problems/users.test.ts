import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { eraseReports, getProblem, mergeProblems, splitProblem, viewInbox } from "@lodge/contract/calls.generated";
import type { ProblemDetails } from "@lodge/contract/dashboard/inbox";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makePatientDatabase, type Service, startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { countOccurrences, makeProblems } from "./count-occurrences.ts";
import { readEvent } from "./read-events.ts";
import { summariseEvent } from "./summarise-event.ts";

const started = new AsyncDisposableStack();
let lodge: Service;
before(async () => {
  const patient = started.use(await makePatientDatabase());
  lodge = started.use(await startService(patient.env, patient.overrides));
});
after(() => started.disposeAsync());

async function makeApp() {
  const slug = `acme-${randomUUID()}`;
  const { organisation, apps } = await lodge.apply({
    organisation: { name: "Acme", slug },
    members: [{ email: `ada@${slug}.test`, name: "Ada", role: "owner" }],
    apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  });
  const [app] = apps;
  assert.ok(app);
  const ada = await signedIn(lodge, `ada@${slug}.test`);
  const report = async (type: string, from: object) => {
    const error = { type, message: "x is undefined" };
    const envelope = { reportId: randomUUID(), error, ...from };
    const { eventId } = await submitReport(lodge.url, app.keys[0]?.key ?? "", envelope);
    await readEvent(lodge.deps, app.id, eventId);
  };
  const problems = async () => {
    const { entries } = await ada.call(viewInbox, { params: { appId: app.id }, query: { show: "problems" } });
    return entries.flatMap((entry) => (entry.type === "problem" ? [entry.problem] : []));
  };
  return { organisationId: organisation.id, appId: app.id, ada, report, problems };
}

const usersOf = ({ userCount, isUserCountExact }: Pick<ProblemDetails, "userCount" | "isUserCountExact">) =>
  `${isUserCountExact ? "" : "~"}${userCount}`;

test("users of a problem are distinguished by id, else by e-mail address, else by install", async () => {
  const app = await makeApp();
  for (const from of [
    { user: { id: "u-7", email: "grace@example.test" }, installId: "a" },
    { user: { id: "u-7", email: "other@example.test" }, installId: "b" },
    { user: { email: "Grace@example.test" } },
    { user: { email: "grace@example.test" }, installId: "c" },
    { installId: "a" },
    { user: { name: "Grace" } },
    {},
  ]) {
    await app.report("TypeError", from);
  }
  const [problem] = await app.problems();
  assert.deepEqual([problem && usersOf(problem), problem?.eventCount], ["3", 7]);
});

test("merged problems count a shared user once, and do not count an erased user", async () => {
  const app = await makeApp();
  for (const id of ["a", "b"]) await app.report("TypeError", { user: { id } });
  for (const id of ["b", "c", "d"]) await app.report("RangeError", { user: { id } });
  const [ranges, types] = await app.problems();
  assert.deepEqual([ranges && usersOf(ranges), types && usersOf(types)], ["3", "2"]);
  const params = { problemId: types?.id ?? "" };
  const merged = await app.ada.call(mergeProblems, { params, body: { problemIds: [ranges?.id ?? ""] } });
  assert.equal(usersOf(merged), "4");
  await app.report("RangeError", { user: { id: "a" } });
  await app.report("RangeError", { user: { id: "e" } });
  assert.equal(usersOf(await app.ada.call(getProblem, { params })), "5");

  await app.ada.call(eraseReports, { body: { by: "user", value: "a" } });
  await app.ada.call(eraseReports, { body: { by: "user", value: "c" } });
  const left = await app.ada.call(getProblem, { params });
  assert.equal(usersOf(left), "3");
  const rangeHash = left.hashes.find(({ strings }) => strings.includes("RangeError"))?.hash ?? "";
  const split = await app.ada.call(splitProblem, { params, body: { hashes: [rangeHash] } });
  assert.deepEqual([usersOf(split), usersOf(await app.ada.call(getProblem, { params }))], ["3", "1"]);
});

test("above 10,000 users a sample is kept, and the count is an estimate", async () => {
  const app = await makeApp();
  const count = async (first: number, last: number) => {
    const events = Array.from({ length: last - first }, (_, index) => ({
      organisationId: app.organisationId,
      appId: app.appId,
      eventId: randomUUID(),
      receivedAt: new Date(),
      attachmentCount: 0,
      ...summariseEvent(
        app.appId,
        { error: { type: "TypeError", message: "x" }, user: { id: `u-${first + index}` } },
        0,
      ),
    }));
    const client = await lodge.deps.pool.connect();
    try {
      await makeProblems(client, events);
      await countOccurrences(client, events);
    } finally {
      client.release();
    }
    const [problem] = await app.problems();
    assert.ok(problem);
    return problem;
  };
  for (let first = 0; first < 10_000; first += 2_000) await count(first, first + 2_000);
  assert.equal(usersOf(await count(0, 1_000)), "10000");
  for (let first = 10_000; first < 14_000; first += 2_000) await count(first, first + 2_000);
  const problem = await count(0, 2_000);
  assert.equal(problem.isUserCountExact, false);
  assert.ok(problem.userCount > 12_300 && problem.userCount < 15_700, `${problem.userCount}`);
  const { rows } = await lodge.deps.pool.query(
    "select count(*)::integer as kept from problem_users where app_id = $1",
    [app.appId],
  );
  assert.ok(rows[0].kept <= 10_000, `${rows[0].kept}`);
});
