import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import {
  assignProblem,
  changeProblem,
  getProblem,
  listReleases,
  listTopProblems,
  viewInbox,
} from "@lodge/contract/calls.generated";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makePatientDatabase, type Service, startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { addToSketch, emptySketch, estimateDistinct } from "./count-distinct.ts";
import { readEvent } from "./read-events.ts";

const started = new AsyncDisposableStack();
let lodge: Service;
before(async () => {
  const patient = started.use(await makePatientDatabase());
  lodge = started.use(await startService(patient.env, patient.overrides));
});
after(() => started.disposeAsync());

async function team() {
  const slug = `acme-${randomUUID()}`;
  const { members, apps } = await lodge.apply({
    organisation: { name: "Acme", slug },
    members: [
      { email: `ada@${slug}.test`, name: "Ada", role: "owner" },
      { email: `mel@${slug}.test`, name: "Mel", role: "member" },
    ],
    apps: [
      { name: "Shop", slug: "shop", keys: ["default"] },
      { name: "Till", slug: "till", keys: ["default"] },
    ],
  });
  const [shop, till] = apps;
  assert.ok(shop && till);
  const mel = await signedIn(lodge, `mel@${slug}.test`);
  const report = async (app: typeof shop, type: string, version: string, user: string) => {
    const error = { type, message: "x is undefined" };
    const envelope = { reportId: randomUUID(), error, app: { version }, user: { id: user } };
    const { eventId } = await submitReport(lodge.url, app.keys[0]?.key ?? "", envelope);
    await readEvent(lodge.deps, app.id, eventId);
  };
  const problemOf = async (type: string) => {
    const { entries } = await mel.call(viewInbox, {
      params: { appId: shop.id },
      query: { text: `type:${type}`, state: "any" },
    });
    const [entry] = entries;
    assert.ok(entry?.type === "problem");
    return { problemId: entry.problem.id };
  };
  return { mel, melId: members[1]?.id ?? "", shop, till, report, problemOf };
}

test("releases show their events, users, and the problems that were new or reopened in them", async () => {
  const { mel, shop, report, problemOf } = await team();
  await report(shop, "TypeError", "1.0", "a");
  await report(shop, "TypeError", "1.0", "b");
  await report(shop, "RangeError", "1.0", "a");
  await mel.call(changeProblem, { params: await problemOf("TypeError"), body: { state: "resolved" } });
  await report(shop, "TypeError", "1.1", "a");
  await report(shop, "SyntaxError", "1.1", "a");
  const { releases } = await mel.call(listReleases, { params: { appId: shop.id } });
  assert.deepEqual(
    releases.map(({ firstSeenAt: _, lastSeenAt: __, ...release }) => release),
    [
      { version: "1.1", eventCount: 2, userCount: 1, newProblemCount: 1, backProblemCount: 1 },
      { version: "1.0", eventCount: 3, userCount: 2, newProblemCount: 2, backProblemCount: 0 },
    ],
  );
  const other = await team();
  const hidden = await other.mel("GET", `/apps/${shop.id}/releases`);
  assert.equal(hidden.body.error, "app_not_found");
});

test("a problem resolved in the next version stays resolved until a newer version reports it", async () => {
  const { mel, shop, report, problemOf } = await team();
  await report(shop, "TypeError", "1.0", "a");
  const params = await problemOf("TypeError");
  const resolved = await mel.call(changeProblem, { params, body: { state: "resolved", inNextVersion: true } });
  assert.deepEqual([resolved.state, resolved.resolvedVersion, resolved.resolvedInNext], ["resolved", "1.0", true]);
  await report(shop, "TypeError", "1.0", "a");
  assert.equal((await mel.call(getProblem, { params })).state, "resolved");
  await report(shop, "TypeError", "1.1", "a");
  const back = await mel.call(getProblem, { params });
  assert.deepEqual([back.state, back.reopenedVersion, back.resolvedInNext], ["open", "1.1", false]);
});

test("a problem without a card can be assigned to a member, and unassigned", async () => {
  const { mel, melId, shop, report, problemOf } = await team();
  await report(shop, "TypeError", "1.0", "a");
  const params = await problemOf("TypeError");
  assert.deepEqual((await mel.call(assignProblem, { params, body: { userId: melId } })).assignee, {
    id: melId,
    name: "Mel",
  });
  const other = await team();
  assert.equal(
    (await mel("PATCH", `/problems/${params.problemId}/assignee`, { userId: other.melId })).body.error,
    "not_a_member",
  );
  const hidden = await other.mel("PATCH", `/problems/${params.problemId}/assignee`, { userId: other.melId });
  assert.equal(hidden.body.error, "problem_not_found");
  assert.equal((await mel.call(assignProblem, { params, body: { userId: null } })).assignee, null);
});

test("the newest and most frequent problems of all apps are listed with their last days", async () => {
  const { mel, shop, till, report } = await team();
  await report(shop, "TypeError", "1.0", "a");
  await report(shop, "TypeError", "1.0", "a");
  await report(till, "RangeError", "1.0", "a");
  const { newest, frequent } = await mel.call(listTopProblems);
  const shown = (list: typeof newest) => list.map(({ app, problem }) => `${app.name} ${problem.title}`);
  assert.deepEqual(shown(newest), ["Till RangeError: x is undefined", "Shop TypeError: x is undefined"]);
  assert.deepEqual(shown(frequent), ["Shop TypeError: x is undefined", "Till RangeError: x is undefined"]);
  assert.deepEqual(frequent[0]?.histogram.buckets.map(({ eventCount }) => eventCount).slice(-1), [2]);
  assert.equal(frequent[0]?.histogram.buckets.length, 14);
  assert.deepEqual((await (await team()).mel.call(listTopProblems)).newest, []);
});

test("a sketch counts few ids almost exactly, and many to within a few percent", () => {
  const sketch = emptySketch();
  const add = (count: number) => {
    for (let index = 0; index < count; index += 1) addToSketch(sketch, randomUUID());
  };
  add(20);
  assert.ok(Math.abs(estimateDistinct(sketch) - 20) <= 2, `${estimateDistinct(sketch)}`);
  add(49_980);
  assert.ok(Math.abs(estimateDistinct(sketch) - 50_000) < 8_000, `${estimateDistinct(sketch)}`);
});
