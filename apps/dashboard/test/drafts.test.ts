import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { password, signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { openAs, signInOn, startBrowser } from "./browser.ts";

const comment = (page: Page) => page.getByLabel("Write a comment");

test("a draft is kept per person and card until it is saved or discarded", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  const file = async (title: string) => (await lodge.fileTicket(acme.tokens[0]?.secret, { title })).body.id;
  const [one, other] = [await file("One"), await file("Another")];
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto(`/tickets/${one}`);

  await comment(page).fill("Half a thought");
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/boards\//);
  await page.goto(`/tickets/${one}`);
  await eventually(async () =>
    assert.equal(await comment(page).inputValue(), "Half a thought", "the draft survives Escape and a reload"),
  );
  const tab = await page.context().newPage();
  await tab.goto(`/tickets/${one}`);
  await eventually(async () =>
    assert.equal(await comment(tab).inputValue(), "Half a thought", "another tab shows the draft"),
  );
  await tab.goto(`/tickets/${other}`);
  await eventually(async () => assert.equal(await comment(tab).inputValue(), "", "another card has no draft"));

  // The session ends while the comment is being sent.
  await comment(page).fill("A whole thought");
  await lodge.deps.pool.query("delete from sessions");
  await page.getByRole("button", { name: "Comment" }).click();
  await page.getByText("You were signed out.").waitFor();
  await signInOn(page, "grace@acme.test", password);
  await eventually(async () => assert.equal(await comment(page).inputValue(), "", "another person has no draft"));
  await page.context().clearCookies();
  await page.goto(`/tickets/${one}`);
  await signInOn(page, "mel@acme.test", password);
  await eventually(async () =>
    assert.equal(await comment(page).inputValue(), "A whole thought", "the draft survives the end of the session"),
  );
  await page.getByRole("button", { name: "Comment" }).click();
  await page.getByRole("listitem").getByText("A whole thought").waitFor();
  const mel = await signedIn(lodge, "mel@acme.test");
  const saved = async () => (await mel("GET", `/tickets/${one}/comments`)).body.comments as unknown[];
  await until(async () => (await saved()).length > 0); // the page shows the comment before it is saved
  await page.reload();
  await eventually(async () => assert.equal(await comment(page).inputValue(), "", "a saved comment leaves no draft"));
  assert.equal((await saved()).length, 1);
  assert.deepEqual(problems, []);
});

test("an unsaved title and description survive a reload and show what somebody else saved meanwhile", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  const description = "First line\nSecond line";
  const { body } = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "Rough idea", description });
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto(`/tickets/${body.id}`);

  await page.getByLabel("Title").fill("Worse idea");
  await page.keyboard.press("Escape");
  await page.getByText("Rough idea", { exact: true }).and(page.getByLabel("Title")).waitFor(); // Escape restores the title
  await page.getByLabel("Title").fill("Better idea");
  await page.route("**/api/dashboard/tickets/*", (route) =>
    route.request().method() === "PATCH" ? route.abort() : route.fallback(),
  );
  await page.keyboard.press("Enter");
  await page.getByText("Unsaved title.").waitFor();
  await page.unrouteAll();
  await page.getByRole("button", { name: "Edit the description" }).click();
  await page.getByRole("textbox", { name: "Description" }).fill("First line\nMy second line");
  await page.reload();
  await eventually(async () => assert.equal(await page.getByLabel("Title").inputValue(), "Better idea"));
  await page.getByRole("button", { name: "Save your title" }).click();
  await page.getByText("changed the title from “Rough idea” to “Better idea”").waitFor();
  await page.getByText("Unsaved description.").waitFor();

  const grace = await signedIn(lodge, "grace@acme.test");
  await grace("PATCH", `/tickets/${body.id}`, { description: "First line\nThe second line of Grace" });
  await page.getByText("Grace Acme changed the description while you were editing it.").waitFor();
  await page.getByRole("button", { name: "Compare and keep editing" }).click();
  const theirs = page.getByRole("region", { name: "Their changes" });
  await theirs.getByText("Removed: Second line").waitFor();
  await theirs.getByText("Added: The second line of Grace").waitFor();
  await eventually(async () =>
    assert.equal(await page.getByRole("textbox", { name: "Description" }).inputValue(), "First line\nMy second line"),
  );
  await page.getByRole("button", { name: "Replace theirs" }).click();
  await page.getByRole("button", { name: "Edit the description" }).waitFor();
  await page.getByText("Mel Acme changed the description").waitFor();
  await page.reload();
  await page.getByText("My second line").waitFor();
  await eventually(async () => assert.equal(await page.getByText(/^Unsaved/).count(), 0));
  assert.deepEqual(problems, []);
});
