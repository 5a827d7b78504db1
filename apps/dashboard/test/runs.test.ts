import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { createCaller } from "@lodge/contract/call";
import {
  appendRunLog,
  askForInput,
  finishRun,
  reportOpening,
  takeRun,
  watchPullRequests,
} from "@lodge/contract/runners";
import { twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const browser = stack.use(await startBrowser());
const { acme } = await twoOrganisations(lodge);
const { runners } = await lodge.apply({ organisation: { name: "Acme", slug: "acme" }, runners: [{ name: "builder" }] });
const call = createCaller({ baseUrl: lodge.url, headers: { authorization: `Bearer ${runners[0]?.secret}` } });

const file = async (title: string) => {
  const { agentUserId: assigneeUserId } = acme.organisation;
  const { body } = await lodge.fileTicket(acme.tokens[0]?.secret, { title, assigneeUserId });
  return String(body.id);
};

/** Takes the next run as the runner, and returns the runner's further steps. */
async function take() {
  const { run } = await call(takeRun, { body: { takeId: randomUUID() } });
  assert.ok(run);
  const params = { runId: run.id };
  const { fence } = run;
  let offset = run.logLength;
  return {
    id: run.id,
    say: async (kind: "said" | "ran" | "refused", text: string) => {
      await call(appendRunLog, {
        params,
        body: { fence, offset, entries: [{ kind, text, at: new Date().toISOString() }] },
      });
      offset++;
    },
    ask: (text: string) => call(askForInput, { params, body: { fence, text } }),
    finish: (result: object) => call(finishRun, { params, body: { fence, outcome: "succeeded", ...result } }),
  };
}

async function open(email: string, path: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, email);
  await opened.page.goto(path);
  return opened;
}

test("a card shows its run live: log, question, branch, cost and pull request, which the forge refuses at first", async () => {
  const ticketId = await file("Crash on start");
  const { page, problems } = await open("mel@acme.test", `/tickets/${ticketId}`);
  const panel = page.getByRole("region", { name: "The agent's run" });
  await panel.getByText("The agent will start soon. The run uses one credit.").waitFor();
  const run = await take();
  await panel.getByText("The agent is working.").waitFor();
  await run.say("said", "I look at the crash.");
  await panel.getByRole("button", { name: "Log" }).click();
  const log = page.getByRole("region", { name: "Log of the run" });
  await log.getByText("I look at the crash.").waitFor();
  await run.say("ran", "npm test");
  await run.say("refused", "evil.example:443");
  await log.getByText("evil.example:443").waitFor();
  await eventually(async () => assert.equal(await log.getByText("I look at the crash.").count(), 1));
  await run.ask("Which browser?");
  await panel.getByText("Which browser?").waitFor();
  const pullRequestError = "GitHub answered 403: Resource not accessible";
  await run.finish({ branch: `lodge/${ticketId}`, pullRequestError, costMicroUsd: 12_300, patch: "--- a\n" });
  await panel.getByText("The agent is done.").waitFor();
  await panel.getByText("$0.0123").waitFor();
  await panel.getByText(pullRequestError).waitFor();
  await panel.getByRole("button", { name: "Try again" }).click();
  await panel.getByText("A runner tries again within a minute.").waitFor();
  const { wanted } = await call(watchPullRequests, { body: {} });
  assert.deepEqual(
    wanted.map(({ runId }) => runId),
    [run.id],
  );
  const pullRequestUrl = "https://forge.test/acme/web/pull/7";
  await call(reportOpening, { params: { runId: run.id }, body: { pullRequestUrl } });
  const link = panel.getByRole("link", { name: "Pull request" });
  await link.waitFor();
  assert.equal(await link.getAttribute("href"), pullRequestUrl);
  await eventually(async () => assert.equal(await panel.getByRole("link", { name: "Patch" }).count(), 1));
  assert.deepEqual(problems, []);
});

test("the Agent page lists runs and credits, an admin adds credits, and a run is cancelled on its card", async () => {
  const ticketId = await file("Waits for a credit");
  const { page, problems } = await open("grace@acme.test", "/");
  await page.waitForURL(/\/boards\//); // the start page redirects there
  await page.getByRole("link", { name: "Agent" }).click();
  await page.getByRole("heading", { name: "Agent", exact: true }).waitFor();
  await page.getByText("The agent is waiting: the organisation has no credits left.").waitFor();
  await page.getByRole("button", { name: "Add credits" }).click();
  await page.getByRole("spinbutton", { name: "Credits" }).fill("3");
  await page.getByLabel("Reason").fill("July");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("3 credits left").waitFor();
  await page.getByText("History").click();
  await page.getByText("Added by Grace Acme: July").waitFor();
  await page.getByRole("link", { name: "Waits for a credit" }).click();
  const panel = page.getByRole("region", { name: "The agent's run" });
  await panel.getByRole("button", { name: "Cancel run" }).click();
  await panel.getByText("The agent's run was cancelled.").waitFor();
  await page.goto(`/tickets/${ticketId}`);
  assert.deepEqual(problems, []);
});

test("an admin creates a runner, copies its secret once and revokes it, and a member only sees runners", async () => {
  const { page, problems } = await open("ada@acme.test", "/runs");
  const section = page.getByRole("region", { name: "Runners" });
  await section.getByRole("button", { name: "New runner" }).click();
  await page.getByLabel("Name").fill("attic");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "“attic” is ready" });
  const secret = (await dialog.getByText(/^ldgrun_\w{49}$/).textContent()) ?? "";
  await dialog.getByRole("button", { name: "I have copied it" }).click();
  const caller = createCaller({ baseUrl: lodge.url, headers: { authorization: `Bearer ${secret}` } });
  assert.equal((await caller(takeRun, { body: { takeId: randomUUID() } })).run, null);
  await section.getByRole("button", { name: "Revoke attic" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Revoke the runner" }).click();
  await page.getByText("“attic” is revoked").waitFor(); // the open dialog hides the page below it
  await section.getByText("attic").waitFor({ state: "detached" });
  await assert.rejects(caller(takeRun, { body: { takeId: randomUUID() } }), { code: "invalid_runner_token" });
  assert.deepEqual(problems, []);
  const member = await open("mel@acme.test", "/runs");
  await member.page.getByRole("region", { name: "Runners" }).getByText("builder").waitFor();
  assert.equal(await member.page.getByRole("button", { name: "New runner" }).count(), 0);
});
