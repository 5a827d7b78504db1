import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { createCaller } from "@lodge/contract/call";
import { createColumn } from "@lodge/contract/dashboard/boards";
import { listRuns, retryPullRequest } from "@lodge/contract/dashboard/runs";
import { getTicket, listActivities } from "@lodge/contract/dashboard/tickets";
import * as runners from "@lodge/contract/runners";
import { lookAtPullRequests } from "../../../../runner/src/watch-pull-requests.ts";
import { begin } from "../../testing/begin.ts";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { makePatientDatabase, startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";

const clock = movableClock();
const patient = await makePatientDatabase();
const lodge = await startService(patient.env, { ...patient.overrides, clock });
after(async () => {
  await lodge[Symbol.asyncDispose]();
  await patient[Symbol.asyncDispose]();
});

/** A ticket of a report that the agent solved with a pull request, and a runner that checks the pull request. */
async function solved({ tellsFixes = true, refusal }: { tellsFixes?: boolean; refusal?: string } = {}) {
  const acme = await makeOrganisation(lodge);
  const made = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    runners: [{ name: "one" }],
    apps: [{ name: "iOS", slug: "ios", replies: true, tellsFixes, keys: ["default"] }],
  });
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const receipt = await submitReport(lodge.url, made.apps[0]?.keys[0]?.key ?? "", { reportId: "1", title: "Crash" });
  const { body } = await lodge.fileTicket(acme.tokens.web, { title: "Crash", assigneeUserId: acme.agentUserId });
  const ticketId = body.id as string;
  await lodge.deps.pool.query("update tickets set event_id = $2, app_id = $3, author_token_id = null where id = $1", [
    ticketId,
    receipt.eventId,
    made.apps[0]?.id,
  ]);
  const call = createCaller({
    baseUrl: lodge.url,
    headers: { authorization: `Bearer ${made.runners[0]?.secret}` },
  });
  const { run } = await call(runners.takeRun, { body: { takeId: randomUUID() } });
  assert.ok(run);
  const pullRequestUrl = "https://github.com/acme/web/pull/7";
  await call(runners.finishRun, {
    params: { runId: run.id },
    body: {
      fence: run.fence,
      outcome: "succeeded",
      branch: run.branch,
      summary: "Guarded the crash.",
      ...(refusal === undefined ? { pullRequestUrl } : { pullRequestError: refusal }),
    },
  });
  const watched = async () => (await call(runners.watchPullRequests, { body: {} })).pullRequests;
  const see = (seen: runners.SeenPullRequest) =>
    call(runners.reportPullRequest, { params: { runId: run.id }, body: seen });
  const ticket = () => ada.call(getTicket, { params: { ticketId } });
  const thread = receipt.thread as { url: string; token: string };
  const told = async () => {
    const answer = await fetch(thread.url, { headers: { authorization: `Bearer ${thread.token}` } });
    return ((await answer.json()) as { messages: { text: string }[] }).messages.map(({ text }) => text);
  };
  return { acme, ada, call, run, watched, see, ticket, ticketId, told, pullRequestUrl };
}

test("merging a pull request closes its card once, and the first release notifies the reporter once", async () => {
  const { acme, ada, run, watched, see, ticket, ticketId, told, pullRequestUrl } = await solved();
  assert.deepEqual(await watched(), [
    { runId: run.id, url: pullRequestUrl, repositoryUrl: "https://git.example.test/web.git", credentialsEnv: null },
  ]);
  assert.deepEqual(await watched(), [], "runners check a pull request at most once a minute");
  await see({ state: "merged" });
  await see({ state: "merged" });
  const { columnId, run: shown } = await ticket();
  assert.equal(columnId, acme.web.inbox.doingId, "without a done column, the card moves to the last column");
  assert.deepEqual([shown?.pullRequestState, shown?.fixedIn], ["merged", null]);
  assert.deepEqual(await told(), []);
  clock.move(60_000);
  assert.equal((await watched()).length, 1, "runners keep checking for the release");
  await Promise.all([see({ state: "merged", version: "2.1" }), see({ state: "merged", version: "2.1" })]);
  await see({ state: "merged", version: "2.2" });
  assert.deepEqual(await told(), ["This is fixed in version 2.1."]);
  await see({ state: "open" }); // reported late by a runner that checked before the merge
  await see({ state: "merged", version: "2.3" });
  const { run: settled } = await ticket();
  assert.deepEqual([settled?.pullRequestState, settled?.fixedIn], ["merged", "2.1"]);
  assert.deepEqual(await told(), ["This is fixed in version 2.1."]);
  clock.move(60_000);
  assert.deepEqual(await watched(), []);
  const { activities } = await ada.call(listActivities, { params: { ticketId }, query: {} });
  assert.deepEqual(
    activities.filter(({ kind }) => kind === "ticket.moved").map(({ actor, from, to }) => [actor.name, from, to]),
    [["Agent", "Backlog", "Doing"]],
  );
});

test("two runs with the same pull request notify the reporter of its release once", async () => {
  const { acme, ada, call, see, ticketId, told, pullRequestUrl } = await solved();
  await ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId: null });
  await ada("PATCH", `/tickets/${ticketId}`, { assigneeUserId: acme.agentUserId });
  const { runs } = await ada.call(listRuns, { query: { state: "held" } });
  await ada("POST", `/runs/${runs[0]?.id}/release`);
  const { run: second } = await call(runners.takeRun, { body: { takeId: randomUUID() } });
  assert.ok(second);
  const { id, fence } = second;
  await call(runners.finishRun, { params: { runId: id }, body: { fence, outcome: "succeeded", pullRequestUrl } });
  const merged = { state: "merged", version: "2.1" } as const;
  await call(runners.reportPullRequest, { params: { runId: id }, body: merged });
  await see(merged);
  assert.deepEqual(await told(), ["This is fixed in version 2.1."]);
});

test("a merge closes its card even if somebody moves the card at the same moment", async () => {
  const { acme, ada, see, ticket, ticketId } = await solved();
  const done = await ada.call(createColumn, { body: { boardId: acme.web.inbox.id, name: "Done" } });
  const client = await lodge.deps.pool.connect();
  await client.query(begin);
  await client.query("update tickets set column_id = $2 where id = $1", [ticketId, acme.web.inbox.doingId]);
  const seen = see({ state: "merged" });
  await untilWaiting(lodge.deps.pool);
  await client.query("commit");
  client.release();
  await seen;
  assert.equal((await ticket()).columnId, done.id);
});

test("apps that do not announce fixes notify nobody, and a closed pull request moves no card", async () => {
  const silent = await solved({ tellsFixes: false });
  await silent.see({ state: "merged", version: "2.1" });
  assert.deepEqual(await silent.told(), []);
  const closed = await solved();
  const { columnId } = await closed.ticket();
  await closed.see({ state: "closed" });
  assert.equal((await closed.ticket()).columnId, columnId);
  clock.move(60_000);
  assert.deepEqual(await closed.watched(), []);
});

test("a runner sees only its own organisation's pull requests", async () => {
  const { run } = await solved();
  const stranger = await solved();
  await assert.rejects(
    stranger.call(runners.reportPullRequest, { params: { runId: run.id }, body: { state: "merged" } }),
    { code: "run_not_found" },
  );
  const looked: string[] = [];
  const server = {
    watchPullRequests: async () => ({ pullRequests: await stranger.watched(), wanted: [] }),
    reportPullRequest: async (runId: string) => void looked.push(runId),
    reportOpening: async (runId: string) => void looked.push(runId),
  };
  await lookAtPullRequests(
    {
      server,
      forges: new Map(),
      opensDrafts: false,
      release: () => ({ token: undefined }),
      secrets: [],
      say: () => {},
    },
    new AbortController().signal,
  );
  assert.deepEqual(looked, [], "the runner does not check without the repository's token");
});

test("a pull request that the forge refuses is shown with the reason, and retried when a person asks", async () => {
  const refusal = "GitHub answered 403: Resource not accessible by personal access token";
  const { acme, ada, call, run, ticket, ticketId } = await solved({ refusal });
  const shown = async () => {
    const { run } = await ticket();
    return [run?.state, run?.pullRequestUrl, run?.pullRequestError, run?.isPullRequestWanted];
  };
  const again = () => ada.call(retryPullRequest, { params: { runId: run.id } });
  const wanted = async () => (await call(runners.watchPullRequests, { body: {} })).wanted;
  const report = (body: runners.OpenedPullRequest) => call(runners.reportOpening, { params: { runId: run.id }, body });
  assert.deepEqual(await shown(), ["succeeded", null, refusal, false]);
  const answer = await fetch(`${lodge.url}/api/v1/tickets/${ticketId}`, {
    headers: { authorization: `Bearer ${acme.tokens.reader}` },
  });
  const read = (await answer.json()) as { run: { pullRequestError: string } };
  assert.equal(read.run.pullRequestError, refusal);
  assert.deepEqual(await wanted(), [], "runners do not retry by themselves");

  assert.equal((await again()).isPullRequestWanted, true);
  await assert.rejects(again(), { code: "pull_request_not_refused" });
  assert.deepEqual(
    (await wanted()).map(({ ticket, ...rest }) => ({ ...rest, title: ticket.title })),
    [
      {
        runId: run.id,
        repositoryUrl: "https://git.example.test/web.git",
        credentialsEnv: null,
        branch: run.branch,
        summary: "Guarded the crash.",
        title: "Crash",
      },
    ],
  );
  assert.deepEqual(await wanted(), [], "only one runner retries at a time");
  await report({ pullRequestError: "GitHub answered 403: Forbidden" });
  assert.deepEqual(await shown(), ["succeeded", null, "GitHub answered 403: Forbidden", false]);
  await again();
  const url = "https://github.com/acme/web/pull/9";
  await report({ pullRequestUrl: url });
  await report({ pullRequestUrl: url });
  assert.deepEqual(await shown(), ["succeeded", url, null, false]);
  await report({ pullRequestError: "too late" });
  assert.deepEqual(await shown(), ["succeeded", url, null, false]);
  await assert.rejects(again(), { code: "pull_request_not_refused" });
});

test("a token that can edit the ticket retries a refused pull request, once for each Idempotency-Key", async () => {
  const { acme, call, ticketId, ticket, run } = await solved({ refusal: "GitHub answered 403" });
  const { tokens } = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    tokens: [
      { name: "Editor", scope: ["web"], permissions: ["tickets:edit"] },
      { name: "Elsewhere", scope: ["mobile"], permissions: ["tickets:edit"] },
    ],
  });
  const secretOf = (name: string) => tokens.find((token) => token.name === name)?.secret;
  const again = async (secret: string | null | undefined, headers: Record<string, string> = {}) => {
    const path = `/api/v1/tickets/${ticketId}/pull-request`;
    const answer = await lodge.request("POST", path, { headers: { authorization: `Bearer ${secret}`, ...headers } });
    return { ...answer, code: [answer.status, answer.body.error] };
  };
  assert.deepEqual((await again(secretOf("Elsewhere"))).code, [404, "ticket_not_found"]);
  assert.deepEqual((await again(acme.tokens.reader)).code, [403, "insufficient_scope"]);
  const key = { "idempotency-key": "once" };
  const tried = await again(secretOf("Editor"), key);
  assert.equal(tried.status, 200, tried.text);
  assert.equal((tried.body.run as { pullRequestError: string }).pullRequestError, "GitHub answered 403");
  assert.equal((await ticket()).run?.isPullRequestWanted, true);
  const repeated = await again(secretOf("Editor"), key);
  assert.deepEqual([repeated.text, repeated.headers.get("idempotency-replayed")], [tried.text, "true"]);
  assert.deepEqual((await again(secretOf("Editor"))).code, [409, "pull_request_not_refused"]);
  const { wanted } = await call(runners.watchPullRequests, { body: {} });
  assert.deepEqual(
    wanted.map(({ runId }) => runId),
    [run.id],
  );
});

test("pull requests of another organisation cannot be retried or reported", async () => {
  const { run } = await solved({ refusal: "no" });
  const stranger = await solved();
  const params = { runId: run.id };
  await assert.rejects(stranger.ada.call(retryPullRequest, { params }), { code: "run_not_found" });
  const pullRequestUrl = "https://github.com/acme/web/pull/9";
  await assert.rejects(stranger.call(runners.reportOpening, { params, body: { pullRequestUrl } }), {
    code: "run_not_found",
  });
  const { repositories } = await stranger.call(runners.listRunnerRepositories);
  assert.deepEqual(
    repositories,
    ["android", "ios", "web"].map((name) => ({
      name,
      url: `https://git.example.test/${name}.git`,
      credentialsEnv: null,
    })),
  );
});
