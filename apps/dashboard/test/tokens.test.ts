import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { type Service, startService } from "../../server/src/testing/start-service.ts";
import { eventually } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";

async function openTokens(lodge: Service, page: Page, email: string) {
  await openAs(page, lodge, email);
  await page.goto("/tokens");
}

async function choose(page: Page, token: string, action: string) {
  await page.getByRole("button", { name: `Actions for ${token}` }).click();
  await page.getByRole("menuitem", { name: action }).click();
}

test("a token is renamed, given other access, and revoked", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  const secret = acme.tokens[0]?.secret;
  const [web, mobile] = acme.projects;
  const { page, problems } = await browser.open(lodge.url);
  await openTokens(lodge, page, "ada@acme.test");
  const row = page.getByRole("row").filter({ hasText: "ldg_" });
  await row.getByText("never").waitFor();
  await row.getByText("Web", { exact: true }).waitFor();
  await row.getByText(String(secret?.slice(0, 8))).waitFor();

  await choose(page, "CI", "Edit");
  await page.getByLabel("Name").fill("Pipeline");
  await page.getByRole("checkbox", { name: "Web" }).uncheck();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Choose at least one project.").waitFor();
  await page.getByRole("checkbox", { name: "Mobile" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("rowheader", { name: "Pipeline" }).waitFor();
  await row.getByText("Mobile", { exact: true }).waitFor();
  assert.equal((await lodge.fileTicket(secret, { title: "t", projectId: web?.id })).status, 404);
  assert.equal((await lodge.fileTicket(secret, { title: "t", projectId: mobile?.id })).status, 201);

  await choose(page, "Pipeline", "Edit");
  await page.getByLabel("All projects").check();
  await page.getByText(`"projectId": "${mobile?.id}"`).waitFor(); // the token's requests must name a project from now on
  await page.getByRole("checkbox", { name: "File tickets" }).waitFor();
  assert.equal(await page.getByRole("checkbox", { name: "Read metrics" }).count(), 0, "only an operator can grant it");
  await page.getByRole("button", { name: "Save" }).click();
  await row.getByText("All projects").waitFor();
  assert.equal((await lodge.fileTicket(secret, { title: "t", projectId: web?.id })).status, 201);

  await choose(page, "Pipeline", "Edit");
  await page.getByRole("checkbox", { name: "File tickets" }).uncheck();
  await page.getByRole("checkbox", { name: "Read tickets" }).check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
  assert.equal((await lodge.fileTicket(secret, { title: "t", projectId: web?.id })).status, 403);

  await choose(page, "Pipeline", "Revoke");
  await page.getByRole("button", { name: "Revoke token" }).click();
  await page.getByText("No tokens yet").waitFor();
  assert.equal((await lodge.fileTicket(secret, { title: "t" })).status, 401);
  assert.deepEqual(problems, []);
});

test("a token name that is taken or longer than 80 characters is refused", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page } = await browser.open(lodge.url);
  await openTokens(lodge, page, "grace@acme.test");
  await page.getByRole("button", { name: "New token" }).click();
  const name = page.getByLabel("Name");
  await name.fill("😀".repeat(81));
  await page.getByText("81 characters, but at most 80 are allowed.").waitFor();
  await page.getByRole("button", { name: "Create token" }).click();
  await eventually(async () =>
    assert.equal(await page.evaluate("document.activeElement.value.length"), 162, "the name is neither sent nor cut"),
  );
  await name.fill("😀".repeat(80));
  await page.getByText("80 of 80 characters").waitFor();
  await name.fill("CI");
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByRole("alert").getByText("Another token has this name.").waitFor();
});

test("a token that was unused for 90 days is marked", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  await lodge.deps.pool.query("update tokens set created_at = now() - interval '91 days'");
  const { page } = await browser.open(lodge.url);
  await openTokens(lodge, page, "grace@acme.test");
  await page.getByText("Unused for 90 days").waitFor();
});

test("a member who opens the tokens page is told that it is for owners and admins", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page, problems } = await browser.open(lodge.url);
  await openTokens(lodge, page, "mel@acme.test");
  await page.getByRole("heading", { name: "API tokens are for owners and admins" }).waitFor();
  assert.equal(await page.getByRole("link", { name: "API tokens" }).count(), 0);
  assert.equal(await page.getByText("ldg_").count(), 0);
  assert.deepEqual(problems, []);
});

test("a token's access is not shown before the projects are loaded", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  await twoOrganisations(lodge);
  const { page, problems } = await browser.open(lodge.url);
  const known = Promise.withResolvers<void>();
  await page.route("**/api/dashboard/projects", async (route) => {
    await known.promise;
    await route.continue();
  });
  const tokens = page.waitForResponse((answer) => answer.url().endsWith("/api/dashboard/tokens"));
  await openTokens(lodge, page, "ada@acme.test");
  await (await tokens).finished();
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)))");
  await page.getByText("Loading the tokens").waitFor();
  assert.equal(await page.getByText("they were deleted").count(), 0);
  known.resolve();
  await page.getByRole("row").filter({ hasText: "ldg_" }).getByText("Web", { exact: true }).waitFor();
  assert.deepEqual(problems, []);
});
