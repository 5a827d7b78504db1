import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { after, test } from "node:test";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { makeOldProblem, pythonError } from "../../server/src/testing/old-problems.ts";
import { sentryEnvelope } from "../../server/src/testing/sentry-envelope.ts";
import { startService, withWorker } from "../../server/src/testing/start-service.ts";
import { readEvent, submitReport } from "../../server/src/testing/submit-report.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService(withWorker));
const browser = stack.use(await startBrowser());
await twoOrganisations(lodge);

async function open(email: string, path: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, email);
  await opened.page.goto(path);
  return opened;
}

async function createApp(page: Page, name: string) {
  await page.getByRole("button", { name: "New app" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill(name);
  await page.getByRole("button", { name: "Create app" }).click();
  await page.getByRole("heading", { name, level: 1 }).waitFor();
}

/** Runs the command that the page shows. `edit` may put a mistake into it first. */
async function runCopied(page: Page, edit = (line: string) => line) {
  const line = await page.getByRole("region", { name: "From a terminal" }).locator("code").innerText();
  const { stdout } = await promisify(execFile)("bash", ["-c", edit(line)]);
  return JSON.parse(stdout) as { status?: string; error?: string };
}

test("an app page shows a command that sends the first report, and shows the report immediately", async () => {
  const { page, problems } = await open("grace@acme.test", "/apps");
  await page.getByText("No apps yet").waitFor();
  await createApp(page, "Web shop");
  await page.getByText("Waiting for the first report").waitFor();

  const mistaken = await runCopied(page, (line) => line.replace("reportId", "reportID"));
  assert.equal(mistaken.error, "schema_validation_failed");
  await page.getByText("A report was refused").waitFor();
  const refused = page.getByRole("article", { name: "schema_validation_failed" });
  await refused.getByRole("row").filter({ hasText: "default" }).waitFor();
  await refused.getByRole("link", { name: "More" }).waitFor();

  assert.equal((await runCopied(page)).status, "received");
  await page.getByText("Your first report arrived").waitFor();
  await page.getByText("In the last 30 days 1 report was accepted and 1 refused.").waitFor();
  await page.getByRole("link", { name: "View report", exact: true }).click();
  await page.getByRole("link", { name: "Hello from a terminal" }).waitFor();
  assert.deepEqual(problems, []);
});

test("an app page shows the DSN for Sentry SDKs and counts the data that they send but Lodge does not store", async () => {
  const { page, problems } = await open("ada@acme.test", "/apps");
  await createApp(page, "Desktop");
  const sdks = page.getByRole("region", { name: "Sentry SDKs" });
  const dsn = new URL(await sdks.getByRole("region", { name: "DSN" }).locator("code").innerText());
  await sdks.getByRole("button", { name: "Show an example for each platform" }).click();
  for (const platform of [
    "Browser",
    "Node",
    "Python",
    "Java",
    "Android",
    "Swift",
    "Go",
    "Ruby",
    "PHP",
    ".NET",
    "Flutter",
  ]) {
    await sdks.getByRole("listitem").filter({ hasText: platform }).filter({ hasText: dsn.href }).waitFor();
  }
  const envelope = sentryEnvelope({}, [
    [{ type: "event" }, { message: "Hello from a Sentry SDK" }],
    [{ type: "transaction" }, {}],
    [{ type: "client_report" }, { discarded_events: [{ reason: "queue_overflow", category: "error", quantity: 7 }] }],
  ]);
  const address = `${dsn.origin}/api${dsn.pathname}/envelope/?sentry_key=${dsn.username}`;
  assert.equal((await fetch(address, { method: "POST", body: new Uint8Array(envelope) })).status, 200);
  await page.getByText("Your first report arrived").waitFor();
  await until(async () => {
    await page.reload();
    const counts = page.getByText(/^In the last 30 days/);
    await counts.waitFor();
    const isCounted = (await counts.innerText()).startsWith("In the last 30 days 1 report was accepted and 0 refused.");
    return isCounted && (await page.getByRole("article", { name: "Discarded by Sentry SDKs" }).count()) === 1;
  });
  await page.getByRole("article", { name: "Accepted but not stored" }).getByText("transaction 1 ×").waitFor();
  await page
    .getByRole("article", { name: "Discarded by Sentry SDKs" })
    .getByText("error, queue_overflow 7 ×")
    .waitFor();
  const sent = await lodge.deps.db
    .selectFrom("events")
    .select("id")
    .where("original", "is not", null)
    .executeTakeFirst();
  await page.goto(`/events/${sent?.id}`);
  await page.getByRole("heading", { name: "Hello from a Sentry SDK" }).waitFor();
  const link = page.getByRole("link", { name: "Download the original event" });
  const original = await fetch((await link.getAttribute("href")) ?? "");
  assert.deepEqual(await original.json(), { message: "Hello from a Sentry SDK" });
  assert.deepEqual(problems, []);
});

test("an admin creates, replaces and revokes keys, and the settings of an app are saved", async () => {
  const { page, problems } = await open("ada@acme.test", "/apps");
  await createApp(page, "Phone");
  const keys = page.getByRole("region", { name: "SDK keys" });
  await keys.getByRole("button", { name: "New key" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("beta");
  await page.getByRole("button", { name: "Create key" }).click();
  await keys.getByRole("listitem").filter({ hasText: "beta" }).waitFor();

  await keys.getByRole("button", { name: "Actions for the key default" }).click();
  await page.getByRole("menuitem", { name: "Replace key" }).click();
  await page.getByRole("button", { name: "Replace key" }).click();
  await keys.getByText(/^Stops working/).waitFor();
  await eventually(async () => assert.equal(await keys.getByRole("listitem").count(), 3));
  await keys.getByRole("button", { name: "Actions for the key default, already replaced" }).click();
  await page.getByRole("menuitem", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await keys.getByText(/^Stops working/).waitFor({ state: "detached" });

  const settings = page.getByRole("region", { name: "Settings" });
  await settings.getByLabel("Custom settings").fill("[]");
  await settings.getByRole("button", { name: "Save" }).click();
  await settings.getByRole("alert").getByText("must be a JSON object").waitFor();
  await settings.getByLabel("Custom settings").fill('{"sampling": 0.5}');
  await settings.getByLabel("Web origins").fill("https://shop.test/");
  await eventually(async () => assert.ok(await settings.getByLabel("Tell reporters about fixes").isDisabled()));
  await settings.getByLabel("Replies to reporters").check();
  await settings.getByLabel("Tell reporters about fixes").check();
  await settings.getByRole("button", { name: "Save" }).click();
  await settings.getByRole("alert").getByText("“origins 1” must be an origin").waitFor();
  await settings.getByLabel("Web origins").fill("https://shop.test");
  await settings.getByRole("button", { name: "Save" }).click();
  await page.getByText("App saved").waitFor();
  await page.reload();
  await eventually(async () =>
    assert.equal(await settings.getByLabel("Custom settings").inputValue(), '{\n  "sampling": 0.5\n}'),
  );
  await eventually(async () =>
    assert.equal(await settings.getByLabel("Web origins").inputValue(), "https://shop.test"),
  );
  await eventually(async () => assert.ok(await settings.getByLabel("Replies to reporters").isChecked()));
  await eventually(async () => assert.ok(await settings.getByLabel("Tell reporters about fixes").isChecked()));

  await page.getByRole("button", { name: "Delete the app…" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete “Phone”" });
  await dialog.getByText("0 reports in 0 problems").waitFor();
  await dialog.getByText("2 SDK keys").waitFor();
  await dialog.getByLabel("Type phone to confirm").fill("Phone");
  await eventually(async () => assert.ok(await dialog.getByRole("button", { name: "Delete the app" }).isDisabled()));
  await dialog.getByLabel("Type phone to confirm").fill("phone");
  await page.keyboard.press("Enter");
  await page.getByText("“Phone” is deleted").waitFor();
  await page.getByRole("link", { name: "Web shop" }).waitFor();
  await page.getByRole("link", { name: "Phone" }).waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
});

test("a member sees an app and its keys, but not its settings", async () => {
  const { page, problems } = await open("mel@acme.test", "/apps");
  await page.getByRole("link", { name: "Web shop" }).click();
  await page.getByRole("region", { name: "SDK keys" }).getByText("ldgpub_").waitFor();
  assert.equal(await page.getByRole("region", { name: "Settings" }).count(), 0);
  assert.equal(await page.getByRole("button", { name: "New key" }).count(), 0);
  assert.deepEqual(problems, []);
});

test("problems grouped by older rules are regrouped after a preview, and the regrouping can be undone", async () => {
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Old shop", slug: "old-shop", keys: ["default"] }],
  });
  const app = apps.find(({ slug }) => slug === "old-shop");
  assert.ok(app);
  for (const name of ["anna", "bert"]) {
    const envelope = pythonError("KeyError", `no user ${name}`, "find_user");
    await makeOldProblem(lodge, app.id, envelope);
    const { eventId } = await submitReport(lodge.url, app.keys[0]?.key ?? "", { reportId: name, ...envelope });
    await readEvent(lodge.deps, app.id, eventId);
  }
  const { page, problems } = await open("ada@acme.test", `/apps/${app.id}`);
  const grouping = page.getByRole("region", { name: "Grouping" });
  await grouping.getByText("2 problems are grouped by version 1 of the grouping rules.").waitFor();
  await grouping.getByRole("button", { name: "Preview regrouping", exact: true }).click();
  await grouping.getByText("1 problem would be merged into another problem").waitFor();
  await grouping.getByRole("button", { name: "Regroup", exact: true }).click();
  await grouping.getByText("The problems were regrouped").waitFor();
  await grouping.getByRole("button", { name: "Undo regrouping", exact: true }).click();
  await grouping.getByRole("button", { name: "Preview regrouping", exact: true }).waitFor();
  assert.deepEqual(problems, []);
});
