import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { createCaller } from "@lodge/contract/call";
import {
  createRunner,
  getCredits,
  getRun,
  listRunners,
  listRuns,
  readRunLog,
  revokeRunner,
} from "@lodge/contract/dashboard/runs";
import { getTicket, listActivities } from "@lodge/contract/dashboard/tickets";
import { runLeaseSeconds, runsOfTicketMax } from "@lodge/contract/limits";
import type { Failure, TakenRun } from "@lodge/contract/runners";
import * as runners from "@lodge/contract/runners";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { randomNumber } from "../../testing/random.ts";
import { startService } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { expireLeases, keepRuns, releaseHeldRuns } from "./keep-runs.ts";

const clock = movableClock();
const lodge = await startService({}, { clock });
after(() => lodge[Symbol.asyncDispose]());

const runsOf = (organisationId: string) =>
  lodge.deps.db
    .selectFrom("agent_runs")
    .select(["id", "ticket_id", "repository_id", "state", "reason"])
    .where("organisation_id", "=", organisationId)
    .orderBy("id")
    .execute();
const statesOf = async (organisationId: string) =>
  (await runsOf(organisationId)).map(({ state, reason }) => (reason ? `${state}: ${reason}` : state));
const creditsOf = async (organisationId: string) =>
  (
    await lodge.deps.db
      .selectFrom("organisations")
      .select("credits")
      .where("id", "=", organisationId)
      .executeTakeFirstOrThrow()
  ).credits;

/** An organisation with two runners, a person, and a way to give the agent something to do. */
async function agency(settings: { credits?: number } = {}) {
  const acme = await makeOrganisation(lodge, settings);
  const made = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    runners: [{ name: "one" }, { name: "two" }],
  });
  assert.deepEqual(
    (await lodge.apply({ organisation: { name: "Acme", slug: acme.slug }, runners: [{ name: "one" }] })).runners,
    [{ ...made.runners[0], secret: null }],
  );
  const [one, two] = made.runners.map(({ secret }) => runnerOf(secret));
  assert.ok(one && two);
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const assign = async (fields: object = {}, token = acme.tokens.web) => {
    const { body, status } = await lodge.fileTicket(token, { title: "t", assigneeUserId: acme.agentUserId, ...fields });
    assert.equal(status, 201);
    return body.id as string;
  };
  return { acme, one, two, ada, assign };
}

/** Calls of a runner; a refused call returns the error's code. */
function runnerOf(secret: string | null) {
  const call = createCaller({ baseUrl: lodge.url, headers: { authorization: `Bearer ${secret}` } });
  const body = ({ id, fence }: TakenRun) => ({ params: { runId: id }, body: { fence } });
  return {
    call,
    take: async (takeId = randomUUID(), waitSeconds = 0) =>
      (await call(runners.takeRun, { body: { takeId, waitSeconds } })).run,
    mustTake: async () => {
      const { run } = await call(runners.takeRun, { body: { takeId: randomUUID() } });
      assert.ok(run, "there is a run to take");
      return run;
    },
    heartbeat: (run: TakenRun) => call(runners.heartbeatRun, body(run)),
    log: (run: TakenRun, offset: number, ...texts: string[]) =>
      call(runners.appendRunLog, {
        params: { runId: run.id },
        body: {
          fence: run.fence,
          offset,
          entries: texts.map((text) => ({ kind: "output" as const, text, at: new Date().toISOString() })),
        },
      }),
    ask: (run: TakenRun, text: string) =>
      call(runners.askForInput, { params: { runId: run.id }, body: { fence: run.fence, text } }),
    finish: (run: TakenRun, outcome: runners.Finish["outcome"], result: Partial<runners.Finish> = {}) =>
      call(runners.finishRun, { params: { runId: run.id }, body: { fence: run.fence, outcome, ...result } }),
  };
}

test("a ticket assigned to the agent queues a run; the runner that takes it gets all its data, and a credit is reserved", async () => {
  const { acme, one, ada, assign } = await agency({ credits: 3 });
  const ticketId = await assign(
    { title: "Crash", description: "On start.", labels: ["ios"], agentRepositoryId: acme.mobile.iosRepositoryId },
    acme.tokens.mobile,
  );
  await ada("POST", `/tickets/${ticketId}/comments`, { text: "Only on Mondays." });
  assert.deepEqual(await statesOf(acme.id), ["queued"]);
  assert.equal(await creditsOf(acme.id), 3);
  const run = await one.mustTake();
  const { createdAt } = run.ticket.comments[0] ?? {};
  assert.deepEqual(run, {
    id: run.id,
    fence: 1,
    leaseSeconds: runLeaseSeconds,
    logLength: 0,
    branch: `lodge/${ticketId}`,
    repository: { name: "ios", url: "https://git.example.test/ios.git", credentialsEnv: null },
    ticket: {
      id: ticketId,
      title: "Crash",
      description: "On start.",
      url: `${lodge.url}/tickets/${ticketId}`,
      isUntrusted: false,
      labels: ["ios"],
      comments: [{ author: "Ada", text: "Only on Mondays.", createdAt }],
    },
  });
  assert.equal(await one.take(), null);
  const shown = await ada.call(getRun, { params: { runId: run.id } });
  assert.deepEqual(
    [shown.state, shown.runner, shown.repository, shown.ticket.title],
    ["running", "one", "ios", "Crash"],
  );
  assert.deepEqual((await ada.call(getTicket, { params: { ticketId } })).run?.id, run.id);
  const { credits, entries } = await ada.call(getCredits, { query: {} });
  assert.equal(credits, 2);
  assert.deepEqual(
    entries.map(({ kind, amount, runId }) => [kind, amount, runId]),
    [
      ["reserved", -1, run.id],
      ["set", 3, null],
    ],
  );
});

test("a run works on the project's only repository, and is held where there are several until one is chosen", async () => {
  const { acme, one, ada, assign } = await agency();
  await assign();
  assert.equal((await one.mustTake()).repository.name, "web");
  const ticketId = await assign({ agentRepositoryId: null }, acme.tokens.mobile);
  assert.equal(await one.take(), null);
  assert.deepEqual(await statesOf(acme.id), ["running", "held: no_repository"]);
  await releaseHeldRuns(lodge.deps);
  assert.deepEqual(await statesOf(acme.id), ["running", "held: no_repository"]);
  await ada("PATCH", `/tickets/${ticketId}`, { agentRepositoryId: acme.mobile.iosRepositoryId });
  await releaseHeldRuns(lodge.deps);
  assert.equal((await one.mustTake()).repository.name, "ios");
  assert.equal(await creditsOf(acme.id), 8);
});

test("a run without credits is held, and is queued once an admin adds some", async () => {
  const { acme, one, ada, assign } = await agency({ credits: 0 });
  await assign();
  await assign();
  assert.deepEqual(await statesOf(acme.id), ["held: no_credits", "held: no_credits"]);
  const keeping = keepRuns(lodge.deps);
  try {
    const waiting = one.take(randomUUID(), 20);
    assert.equal((await ada("POST", "/credits", { amount: 1, note: "a gift" })).status, 204);
    assert.equal((await waiting)?.id, (await runsOf(acme.id))[0]?.id);
  } finally {
    await keeping.stop();
  }
  assert.deepEqual(await statesOf(acme.id), ["running", "held: no_credits"]);
  const { entries } = await ada.call(getCredits, { query: {} });
  assert.deepEqual(
    entries.map(({ kind, amount, actor, note }) => [kind, amount, actor, note]),
    [
      ["reserved", -1, null, null],
      ["added", 1, "Ada", "a gift"],
    ],
  );
});

test("of eight tickets filed for the agent at once with one credit, exactly one run starts, however many runners ask", async () => {
  const { acme, one, two, assign } = await agency({ credits: 1 });
  await Promise.all(Array.from({ length: 8 }, () => assign()));
  const taken = await Promise.all(Array.from({ length: 8 }, (_, index) => (index % 2 ? one : two).take()));
  assert.equal(taken.filter(Boolean).length, 1);
  assert.deepEqual((await statesOf(acme.id)).sort(), [...Array(7).fill("held: no_credits"), "running"]);
  assert.equal(await creditsOf(acme.id), 0);
});

test("a ticket for a person, or for nobody, starts no run even where it names a repository", async () => {
  const { acme, assign } = await agency();
  for (const assigneeUserId of [null, acme.memberUserId]) {
    await assign({ assigneeUserId, agentRepositoryId: acme.web.repositoryId });
  }
  assert.deepEqual(await runsOf(acme.id), []);
});

test("a ticket for the agent that is refused or replayed queues no run", async () => {
  const { acme } = await agency();
  const body = { title: "t", assigneeUserId: acme.agentUserId };
  const key = { "idempotency-key": "k" };
  const refused = await lodge.fileTicket(acme.tokens.web, { ...body, agentRepositoryId: acme.mobile.iosRepositoryId });
  assert.equal(refused.body.error, "invalid_agent_repository");
  await lodge.fileTicket(acme.tokens.web, body, key);
  await lodge.fileTicket(acme.tokens.web, body, key);
  assert.equal((await runsOf(acme.id)).length, 1);
});

test("a ticket has one open run: reassigning it does nothing, unassigning it cancels the run, and then another can start", async () => {
  const { acme, one, ada, assign } = await agency();
  const ticketId = await assign();
  const give = (assigneeUserId: string | null) => ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId });
  const giveMany = (assigneeUserId: string | null) =>
    ada("PATCH", "/tickets", { changes: [{ ticketId, assigneeUserId }] });
  await give(acme.agentUserId);
  assert.deepEqual(await statesOf(acme.id), ["queued"]);
  await give(acme.memberUserId);
  assert.deepEqual(await statesOf(acme.id), ["cancelled: unassigned"]);
  await giveMany(acme.agentUserId);
  const run = await one.mustTake();
  await give(acme.agentUserId);
  await giveMany(null);
  assert.deepEqual(await statesOf(acme.id), ["cancelled: unassigned", "cancelled: unassigned"]);
  await assert.rejects(one.heartbeat(run), { code: "lease_lost" });
  const { run: shown } = await ada.call(getTicket, { params: { ticketId } });
  assert.deepEqual([shown?.changedBy, shown?.reason], ["Ada", "unassigned"]);
  assert.equal(await creditsOf(acme.id), 9, "a cancelled run that has started costs its credit");
});

test("after a ticket has reached its limit of runs, the next one waits for an admin", async () => {
  const { acme, one, ada, assign } = await agency({ credits: 20 });
  const ticketId = await assign();
  for (let runs = 1; runs <= runsOfTicketMax; runs++) {
    await one.finish(await one.mustTake(), "no_change");
    await ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId: null });
    await ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId: acme.agentUserId });
  }
  assert.deepEqual((await statesOf(acme.id)).at(-1), "held: run_limit");
  await releaseHeldRuns(lodge.deps);
  assert.equal(await one.take(), null);
  const [held] = (await ada.call(listRuns, { query: { ticket: ticketId, state: "held" } })).runs;
  assert.equal((await ada("POST", `/runs/${held?.id}/release`)).status, 200);
  assert.equal((await ada("POST", `/runs/${held?.id}/release`)).body.error, "run_not_held");
  assert.equal((await one.mustTake()).id, held?.id);
});

test("a ticket whose text came with a report starts no run until a person releases it", async () => {
  const { acme, one, ada, assign } = await agency();
  const ticketId = await assign({ assigneeUserId: null });
  await lodge.deps.pool.query(
    `update tickets set event_id = uuidv7(), app_id = uuidv7(), author_token_id = null where id = $1`,
    [ticketId],
  );
  await ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId: acme.agentUserId });
  assert.deepEqual(await statesOf(acme.id), ["held: untrusted_input"]);
  const [run] = await runsOf(acme.id);
  await ada("POST", `/runs/${run?.id}/release`);
  assert.equal((await one.mustTake()).ticket.isUntrusted, true);
});

test("a runner that stops sending heartbeats loses its run to another, and its later writes are refused", async () => {
  const { acme, one, two, assign } = await agency();
  await assign();
  const first = await one.mustTake();
  await one.log(first, 0, "a", "b");
  clock.move((runLeaseSeconds - 1) * 1000);
  await expireLeases(lodge.deps);
  await one.heartbeat(first);
  clock.move((runLeaseSeconds - 1) * 1000);
  await expireLeases(lodge.deps);
  assert.equal(await two.take(), null, "the heartbeat has renewed the lease");
  clock.move(2_000);
  await expireLeases(lodge.deps);
  assert.deepEqual(await statesOf(acme.id), ["queued"]);
  await assert.rejects(one.heartbeat(first), { code: "lease_lost" });
  const second = await two.mustTake();
  assert.deepEqual([second.id, second.fence, second.logLength], [first.id, 2, 2]);
  for (const write of [
    () => one.heartbeat(first),
    () => one.log(first, 2, "late"),
    () => one.ask(first, "?"),
    () => one.finish(first, "succeeded"),
    () => one.heartbeat(second), // the current fence, but from the runner that lost the run
    () => two.finish({ ...second, fence: 1 }, "succeeded"),
  ]) {
    await assert.rejects(write, { code: "lease_lost", status: 409 });
  }
  await two.log(second, 2, "c");
  await two.finish(second, "no_change");
  assert.deepEqual(await statesOf(acme.id), ["no_change"]);
  assert.equal(await creditsOf(acme.id), 9, "a run costs one credit, however often it is taken");
});

test("a run that three runners lost fails, and its credit is returned once", async () => {
  const { acme, one, assign } = await agency();
  await assign();
  for (let lost = 0; lost < 3; lost++) {
    await one.mustTake();
    clock.move((runLeaseSeconds + 1) * 1000);
    await Promise.all([expireLeases(lodge.deps), expireLeases(lodge.deps)]);
  }
  assert.equal(await one.take(), null);
  assert.deepEqual(await statesOf(acme.id), ["failed: runner_lost"]);
  assert.equal(await creditsOf(acme.id), 10);
});

test("a retried request for a run returns the same run", async () => {
  const { one, two, assign } = await agency();
  await assign();
  await assign();
  const takeId = randomUUID();
  const [first, again] = [await one.take(takeId), await one.take(takeId)];
  assert.ok(first);
  assert.deepEqual(again, first);
  assert.notEqual((await two.take(takeId))?.id, first.id, "the run belongs to another runner");
});

test("a waiting runner gets a run as soon as it is queued, on another server too", async () => {
  await using other = await startService(lodge.env);
  const { acme, one } = await agency();
  const waiting = one.take(randomUUID(), 25);
  const filed = await other.fileTicket(acme.tokens.web, { title: "t", assigneeUserId: acme.agentUserId });
  assert.equal((await waiting)?.ticket.id, filed.body.id);
});

test("log entries are appended at an offset: duplicates are ignored, and gaps are refused", async () => {
  const { one, ada, assign } = await agency();
  await assign();
  const run = await one.mustTake();
  assert.deepEqual(await one.log(run, 0, "a", "b"), { length: 2 });
  assert.deepEqual(await one.log(run, 0, "a", "b"), { length: 2 });
  assert.deepEqual(await one.log(run, 1, "b", "c"), { length: 3 });
  await assert.rejects(one.log(run, 4, "e"), { code: "log_gap" });
  await Promise.all(Array.from({ length: 5 }, () => one.log(run, 3, "d", "e")));
  const { entries, next } = await ada.call(readRunLog, { params: { runId: run.id }, query: { after: "1" } });
  assert.deepEqual(
    entries.map(({ offset, text }) => `${offset}${text}`),
    ["1b", "2c", "3d", "4e"],
  );
  assert.equal(next, 5);
});

test("a run that asks a question awaits input until a person comments on its ticket", async () => {
  const { acme, one, ada, assign } = await agency();
  const ticketId = await assign();
  const run = await one.mustTake();
  await ada("POST", `/tickets/${ticketId}/comments`, { text: "before" });
  clock.move(1_000);
  await one.ask(run, "Which one?");
  assert.deepEqual(await statesOf(acme.id), ["awaiting_input"]);
  assert.equal((await ada.call(getRun, { params: { runId: run.id } })).question, "Which one?");
  assert.equal((await one.heartbeat(run)).answer, null);
  await ada("POST", `/tickets/${ticketId}/comments`, { text: "The left one." });
  const { answer } = await one.heartbeat(run);
  assert.deepEqual([answer?.author, answer?.text], ["Ada", "The left one."]);
  assert.deepEqual((await one.heartbeat(run)).answer, answer, "the answer is repeated in case a response was lost");
  assert.deepEqual(await statesOf(acme.id), ["running"]);
});

test("a run ends once, with its outcome", async () => {
  const { acme, one, ada, assign } = await agency();
  await assign();
  const run = await one.mustTake();
  const commit = "0123456789abcdef0123456789abcdef01234567";
  const result = {
    branch: run.branch,
    commit,
    pullRequestUrl: "https://github.test/acme/web/pull/7",
    patch: "--- a\n+++ b\n",
    summary: "Done.",
    costMicroUsd: 1_234_567,
    inputTokens: 5_000_000_000,
    outputTokens: 7,
  };
  await one.finish(run, "succeeded", result);
  await one.finish(run, "succeeded", result);
  await assert.rejects(one.finish(run, "failed", { failure: "runner_failed" }), { code: "lease_lost" });
  await assert.rejects(one.finish(run, "failed"), { code: "invalid_input" });
  const { patch: _, ...fields } = result;
  const shown = await ada.call(getRun, { params: { runId: run.id } });
  assert.deepEqual({ ...shown, ...fields, hasPatch: true, state: "succeeded" }, shown);
  const patch = await ada("GET", `/runs/${run.id}/patch`);
  assert.deepEqual([patch.text, patch.headers.get("content-type")], [result.patch, "text/x-diff; charset=utf-8"]);
  assert.equal((await ada("POST", `/runs/${run.id}/cancel`)).body.error, "run_ended");
  assert.equal(await creditsOf(acme.id), 9);
});

test("a run that failed through no fault of the agent returns its credit; a run that was given back is queued again", async () => {
  const { acme, one, assign } = await agency();
  await assign();
  const given = await one.mustTake();
  await one.finish(given, "given_back");
  const again = await one.mustTake();
  assert.deepEqual([again.id, again.fence], [given.id, 2]);
  assert.equal(await creditsOf(acme.id), 9);
  await one.finish(again, "failed", { failure: "clone_failed" });
  assert.equal(await creditsOf(acme.id), 10);
  await assign();
  await one.finish(await one.mustTake(), "failed", { failure: "command_failed" });
  assert.equal(await creditsOf(acme.id), 9);
  assert.deepEqual(await statesOf(acme.id), ["failed: clone_failed", "failed: command_failed"]);
});

test("a runner's token gives access to its own organisation's runs only, and to nothing else", async () => {
  const { acme, one, assign } = await agency();
  const { one: stranger } = await agency();
  await assign();
  assert.equal(await stranger.take(), null);
  const run = await one.mustTake();
  await assert.rejects(stranger.heartbeat(run), { code: "lease_lost" });
  for (const secret of [null, acme.tokens.web, "ldgrun_x", `ldgrun_${"0".repeat(49)}`]) {
    await assert.rejects(runnerOf(secret).take(), { code: "invalid_runner_token", status: 401 });
  }
  const { status } = await lodge.request("POST", "/api/v1/runner/runs/not-an-id/heartbeat", {
    headers: { authorization: "Bearer x" },
    body: { fence: 1 },
  });
  assert.equal(status, 401);
});

test("a token's tickets start at most its daily budget of runs; the others wait for the next day or an admin", async () => {
  const { acme, one, ada } = await agency();
  const world = { organisation: { name: "Acme", slug: acme.slug } };
  const made = await lodge.apply({
    ...world,
    tokens: [{ name: "bot", scope: ["web"], permissions: ["tickets:write"], runsPerDay: 2 }],
  });
  const file = async () => {
    const { body } = await lodge.fileTicket(made.tokens[0]?.secret, { title: "t", assigneeUserId: acme.agentUserId });
    return body.id as string;
  };
  const takenCount = async () =>
    (await Promise.all([one.take(), one.take(), one.take(), one.take()])).filter(Boolean).length;
  const heldCount = async () => (await statesOf(acme.id)).filter((state) => state === "held: token_budget").length;
  for (let ticket = 0; ticket < 4; ticket++) await file();
  assert.equal(await takenCount(), 2);
  assert.equal(await heldCount(), 2);
  assert.equal(await creditsOf(acme.id), 8);
  await releaseHeldRuns(lodge.deps);
  assert.equal(await heldCount(), 2);
  const { runs } = await ada.call(listRuns, { query: { state: "held" } });
  await ada("POST", `/runs/${runs[0]?.id}/release`);
  assert.equal(await takenCount(), 1, "an admin has released the run");
  clock.move(86_400_000);
  await releaseHeldRuns(lodge.deps);
  assert.equal(await takenCount(), 1);
  const ticketId = await file();
  await ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId: null });
  assert.equal((await ada("GET", "/tokens")).status, 200);
});

test("a run counts once against its token's budget, however often runners take it", async () => {
  const { acme, one } = await agency();
  const made = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    tokens: [{ name: "bot", scope: ["web"], permissions: ["tickets:write"], runsPerDay: 1 }],
  });
  await lodge.fileTicket(made.tokens[0]?.secret, { title: "t", assigneeUserId: acme.agentUserId });
  const given = await one.mustTake();
  await one.finish(given, "given_back");
  assert.equal((await one.mustTake()).id, given.id);
  clock.move((runLeaseSeconds + 1) * 1000);
  await expireLeases(lodge.deps);
  assert.equal((await one.mustTake()).id, given.id);
});

test("a ticket's history shows how its run went, and who took part in it", async () => {
  const { one, two, ada, assign } = await agency({ credits: 0 });
  const ticketId = await assign();
  await ada("POST", "/credits", { amount: 1 });
  await releaseHeldRuns(lodge.deps);
  await one.mustTake();
  clock.move((runLeaseSeconds + 1) * 1000);
  await expireLeases(lodge.deps);
  await two.ask(await two.mustTake(), "Which one?");
  const { runs } = await ada.call(listRuns, { query: {} });
  await ada("POST", `/runs/${runs[0]?.id}/cancel`);
  const { activities } = await ada.call(listActivities, { params: { ticketId }, query: {} });
  const told = activities.filter(({ kind }) => kind === "run.changed").reverse();
  assert.deepEqual(
    told.map(({ actor, runState, runReason }) => [actor.name, runState, runReason]),
    [
      ["Web CI", "held", "no_credits"],
      ["Web CI", "queued", undefined],
      ["Agent", "running", undefined],
      ["Agent", "queued", undefined],
      ["Agent", "running", undefined],
      ["Agent", "awaiting_input", undefined],
      ["Ada", "cancelled", "cancelled"],
    ],
  );
});

test("admins create and revoke runners and see each secret once; members see the list of runners", async () => {
  const { acme, one, ada, assign } = await agency();
  const { runner, secret } = await ada.call(createRunner, { body: { name: "three" } });
  assert.deepEqual([runner.name, runner.lastSeenAt, runner.runCount], ["three", null, 0]);
  await assert.rejects(ada.call(createRunner, { body: { name: "three" } }), { code: "runner_name_taken" });
  await assign();
  const run = await runnerOf(secret).mustTake();
  const list = async () => (await ada.call(listRunners)).runners.map(({ name, runCount }) => [name, runCount]);
  assert.deepEqual(await list(), [
    ["one", 0],
    ["three", 1],
    ["two", 0],
  ]);
  await ada.call(revokeRunner, { params: { runnerId: runner.id } });
  await assert.rejects(runnerOf(secret).heartbeat(run), { code: "invalid_runner_token" });
  await assert.rejects(ada.call(revokeRunner, { params: { runnerId: runner.id } }), { code: "runner_not_found" });
  clock.move((runLeaseSeconds + 1) * 1000);
  await expireLeases(lodge.deps);
  assert.equal((await one.take())?.id, run.id);
  await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    members: [{ email: `bob@${acme.slug}.test`, name: "Bob", role: "member" }],
  });
  const bob = await signedIn(lodge, `bob@${acme.slug}.test`);
  assert.equal((await bob("GET", "/runners")).status, 200);
  assert.equal((await bob("POST", "/runners", { name: "x" })).body.error, "forbidden");
});

test("a runner that is revoked while it waits gets no run", async () => {
  const { acme, ada, assign } = await agency({ credits: 1 });
  const { runner, secret } = await ada.call(createRunner, { body: { name: "three" } });
  const waiting = assert.rejects(runnerOf(secret).take(randomUUID(), 20), { code: "invalid_runner_token" });
  await until(async () =>
    (await ada.call(listRunners)).runners.some(({ id, lastSeenAt }) => id === runner.id && lastSeenAt),
  );
  await ada.call(revokeRunner, { params: { runnerId: runner.id } });
  await assign();
  await waiting;
  assert.deepEqual([await statesOf(acme.id), await creditsOf(acme.id)], [["queued"], 1]);
});

test("the history of credits adds up after many concurrent assignments, takes, losses, ends and cancellations", async () => {
  const { acme, one, two, ada, assign } = await agency({ credits: 6 });
  const tickets = await Promise.all(Array.from({ length: 10 }, () => assign()));
  const failures = Object.keys(runners.failures) as Failure[];
  const pick = <T>(list: readonly T[]) => list[Math.floor(randomNumber() * list.length)] as T;
  const act = async () => {
    const ticketId = pick(tickets);
    const run = await pick([one, two]).take();
    const finish = async (outcome: "succeeded" | "no_change" | "failed" | "given_back") =>
      run && one.finish(run, outcome, outcome === "failed" ? { failure: pick(failures) } : {});
    await pick([
      () => finish(pick(["succeeded", "no_change", "failed", "given_back"])),
      async () => run && ada("POST", `/runs/${run.id}/cancel`),
      () => ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId: pick([null, acme.agentUserId]) }),
      () => ada("POST", "/credits", { amount: 1 }),
      () => expireLeases(lodge.deps),
      () => releaseHeldRuns(lodge.deps),
    ])();
  };
  for (let round = 0; round < 8 || (await runsOf(acme.id)).length <= 10; round++) {
    await Promise.allSettled(Array.from({ length: 8 }, act)); // a runner that lost its lease is refused
    if (round % 3 === 2) clock.move((runLeaseSeconds + 1) * 1000);
  }
  const { rows } = await lodge.deps.pool.query<{ credits: number; sum: number; wrong: number }>(
    `select credits, (select sum(amount) from credit_entries where organisation_id = o.id)::integer as sum, (
       select count(*) from agent_runs run cross join lateral (
         select coalesce(-sum(amount), 0) as paid from credit_entries where organisation_id = o.id and run_id = run.id) entries
       where run.organisation_id = o.id and paid <> case
         when state in ('running', 'succeeded', 'no_change') then 1
         when state = 'failed' then (not reason = any($2))::integer
         when state = 'cancelled' and runner_id is null or state = 'held' then 0
         else paid end) as wrong
     from organisations o where id = $1`,
    [acme.id, failures.filter((failure) => runners.failures[failure].isRefunded)],
  );
  assert.equal(rows[0]?.sum, rows[0]?.credits);
  assert.equal(rows[0]?.wrong, 0);
});
