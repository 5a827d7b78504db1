import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { password, signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { openAs, signInOn, startBrowser } from "./browser.ts";

/** The newly opened card, once it has the focus. */
async function openedCard(page: Page): Promise<Locator> {
  await page.locator("[role=dialog]:focus").waitFor();
  return page.getByRole("dialog");
}

const hasTitle = (page: Page, title: string) => eventually(async () => assert.equal(await page.title(), title));

test("a link to a card opens that card after the sign-in", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  const filed = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "Deep down" });
  await lodge.fileTicket(acme.tokens[0]?.secret, { title: "Another one" });
  const { page, problems } = await browser.open(lodge.url);
  await page.goto(String(filed.body.url));
  await page.getByRole("heading", { name: "Sign in to Lodge" }).waitFor();
  await signInOn(page, "mel@acme.test", password);
  const card = page.getByRole("dialog", { name: "Deep down" });
  await card.getByText("Filed by").waitFor();
  await page.waitForURL(String(filed.body.url));
  await hasTitle(page, "Deep down · Lodge");
  await openedCard(page);
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/boards\//);
  await until(() => page.evaluate("document.activeElement.textContent === 'Deep down'"));
  await hasTitle(page, "Inbox · Lodge");
  assert.deepEqual(problems, []);
});

test("a link to a card in another organisation of the person opens the card there", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  await lodge.apply({
    organisation: { name: "Aardvark", slug: "aardvark" },
    members: [{ email: "mel@acme.test", name: "Mel Acme", role: "member" }],
  });
  const filed = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "Over there" });
  const { page } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto("/");
  await page.getByRole("button", { name: "Organisation: Acme" }).click();
  await page.getByRole("menuitem", { name: "Aardvark" }).click();
  await page.getByRole("heading", { name: "No projects yet" }).waitFor();
  await page.goto(String(filed.body.url));
  await page.getByRole("dialog", { name: "Over there" }).getByRole("button", { name: "Close card" }).click();
  await page.getByRole("button", { name: "Organisation: Acme" }).waitFor();
});

test("every field of a card is edited in place, and the history says who changed it", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  const filed = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "Rough idea" });
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto(`/tickets/${filed.body.id}`);
  const card = await openedCard(page);
  const history = card.getByRole("region", { name: "Activity" });

  await card.getByLabel("Title").fill("Clear plan");
  await card.getByLabel("Title").press("Enter");
  await history.getByText("changed the title from “Rough idea” to “Clear plan”").waitFor();

  await card.getByRole("button", { name: "Add a description" }).click();
  await card.getByRole("textbox", { name: "Description" }).fill("See https://example.test/plan.");
  await card.getByRole("button", { name: "Save" }).click();
  await card.getByRole("link", { name: "https://example.test/plan", exact: true }).waitFor();
  await history.getByText("changed the description").waitFor();

  for (const [field, option, told] of [
    ["Priority", "High", "set the priority to high"],
    ["Assignee", "Ada Acme", "assigned it to Ada Acme"],
    ["Repository", "web", "set the repository to web"],
    ["Column", "Doing", "moved it from Backlog to Doing"],
  ] as const) {
    await card.getByRole("combobox", { name: field }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
    await history.getByText(told).waitFor();
  }

  await card.getByRole("button", { name: "Add start date" }).press("Enter");
  await card.getByLabel("Starts", { exact: true }).fill("2026-03-01");
  await card.getByLabel("Starts", { exact: true }).press("Enter");
  await history.getByText("set the start date to Mar 1").waitFor();
  await card.getByRole("button", { name: "Add due date" }).press("Enter");
  await card.getByLabel("Due", { exact: true }).fill("2026-02-01");
  await card.getByLabel("Due", { exact: true }).press("Enter");
  await card.getByText("A card cannot be due before its start date, Mar 1.").waitFor();
  await card.getByRole("button", { name: "Add due date" }).waitFor(); // the date is still unset
  await card.getByRole("button", { name: "Clear start date" }).click();
  await history.getByText("removed the start date").waitFor();
  await history.getByText("API token").first().waitFor();
  assert.deepEqual(problems, []);
});

test("a comment mentions a member, and tokens cannot be mentioned", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  const filed = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "Talk" });
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto(`/tickets/${filed.body.id}`);
  const field = (await openedCard(page)).getByLabel("Write a comment");
  await field.pressSequentially("Hello @");
  await page.getByRole("option", { name: "Grace Acme" }).waitFor();
  await eventually(async () =>
    assert.deepEqual(await page.getByRole("option").locator(".truncate").allInnerTexts(), [
      "Ada Acme",
      "Agent",
      "Grace Acme",
      "Mel Acme",
    ]),
  );
  await field.pressSequentially("CI");
  await page.getByRole("option").first().waitFor({ state: "detached" });
  await field.press("Backspace");
  await field.press("Backspace");
  await field.pressSequentially("gra");
  await field.press("Enter");
  await eventually(async () => assert.equal(await field.inputValue(), "Hello @Grace Acme "));
  await field.pressSequentially("look");
  const posted = page.waitForResponse(
    (answer) => answer.request().method() === "POST" && answer.url().endsWith("/comments"),
  );
  await page.getByRole("button", { name: "Comment" }).click();
  const comments = page.getByRole("region", { name: "Activity" });
  await comments.getByText("@Grace Acme").waitFor();
  await posted; // the page shows the comment before the server has it

  const grace = await signedIn(lodge, "grace@acme.test");
  const { body } = await grace("GET", `/tickets/${filed.body.id}/comments`);
  const [comment] = body.comments as { mentions: { name: string }[] }[];
  assert.deepEqual(
    comment?.mentions.map(({ name }) => name),
    ["Grace Acme"],
  );
  await grace("POST", `/tickets/${filed.body.id}/comments`, { text: "I see it." });
  await comments.getByText("I see it.").waitFor();
  assert.deepEqual(problems, []);
});
