import assert from "node:assert/strict";
import { after, test } from "node:test";
import { changeTicket, createBoard, createTicket, listBoardViews, viewBoard } from "@lodge/contract/calls.generated";
import type { CreateTicket } from "@lodge/contract/dashboard/tickets";
import { sql } from "kysely";
import type { Page } from "playwright-core";
import { signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const browser = stack.use(await startBrowser());
const { acme } = await twoOrganisations(lodge);
const ada = await signedIn(lodge, "ada@acme.test");
const melId = acme.members.find(({ email }) => email === "mel@acme.test")?.id ?? "";

async function makeBoard(cards: (Partial<CreateTicket> & { title: string; column?: number })[] = []) {
  const projectId = acme.projects[0]?.id ?? "";
  const { id: boardId } = await ada.call(createBoard, { body: { projectId, name: "Board" } });
  const board = () => ada.call(viewBoard, { params: { boardId }, query: {} });
  const columnIds = (await board()).columns.map(({ id }) => id);
  const ids = new Map<string, string>();
  for (const { column = 0, ...card } of cards) {
    const { id } = await ada.call(createTicket, { body: { columnId: columnIds[column] ?? "", ...card } });
    ids.set(card.title, id);
  }
  const card = async (title: string) =>
    (await board()).columns.flatMap(({ cards: all }) => all).find((each) => each.title === title);
  return { boardId, columnIds, id: (title: string) => ids.get(title) ?? "", card };
}

/** Filed in this order, so D is the newest. */
const fewCards = () =>
  makeBoard([
    { title: "A", priority: "low", dueAt: "2035-03-01", labels: ["ui"] },
    { title: "B", priority: "high", labels: ["bug"], assigneeUserId: melId },
    { title: "C", dueAt: "2035-01-01", labels: ["bug", "ui"] },
    { title: "D", priority: "medium", assigneeUserId: melId, column: 1 },
  ]);

async function openPage(path: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, "mel@acme.test");
  await opened.page.goto(path);
  return opened;
}

const row = (page: Page, title: string) => page.getByRole("table").getByRole("link", { name: title, exact: true });
const shows = (page: Page, titles: string) =>
  eventually(async () => assert.equal((await page.locator("tbody[data-card] a").allTextContents()).join(" "), titles));
const showsGroups = (page: Page, groups: string[]) =>
  eventually(async () => assert.deepEqual(await page.locator("th[scope=rowgroup]").allTextContents(), groups));
const focused = (page: Page, title: string) =>
  eventually(async () => assert.equal(await page.evaluate("document.activeElement.textContent"), title));
const choose = async (page: Page, label: string, option: string) => {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
};

test("a board is shown as a list, which its headings sort, and links, reloads and views keep that", async () => {
  const { boardId } = await fewCards();
  const { page, problems } = await openPage(`/boards/${boardId}`);
  await page.getByRole("region", { name: "To do" }).getByRole("link", { name: "A" }).waitFor();
  await page.getByRole("button", { name: "List", exact: true }).click();
  await shows(page, "D C B A");
  await page.getByText("4 cards").waitFor();
  const head = (name: string) => page.getByRole("columnheader", { name });
  assert.equal(await head("Card").getAttribute("aria-sort"), "descending");
  await head("Priority").getByRole("button").click();
  await shows(page, "B D A C");
  await head("Column").getByRole("button").click();
  await shows(page, "C B A D");
  await head("Due").getByRole("button").click();
  await shows(page, "C A D B");
  await page.waitForURL(/\?view=list&sort=dueAt$/);
  await page.reload();
  await shows(page, "C A D B");
  assert.equal(await head("Due").getAttribute("aria-sort"), "ascending");

  await page.getByRole("button", { name: "Save as a view" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("By due date");
  await page.keyboard.press("Enter");
  await page.getByText("“By due date” saved").waitFor();
  const { views } = await (await signedIn(lodge, "mel@acme.test")).call(listBoardViews);
  assert.deepEqual(views.find((view) => view.boardId === boardId)?.filter, { view: "list", sort: "dueAt" });
  await page.getByRole("button", { name: "Board", exact: true }).click();
  await page.getByRole("region", { name: "Doing" }).getByRole("link", { name: "D" }).waitFor();
  await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name: "By due date" }).click();
  await shows(page, "C A D B");
  assert.deepEqual(problems, []);
});

test("a list is grouped and filtered like its board, and shows changes by others live", async () => {
  const { boardId, id } = await fewCards();
  const { page, problems } = await openPage(`/boards/${boardId}?view=list`);
  await shows(page, "D C B A");
  await choose(page, "Group", "By label");
  await shows(page, "C B A D");
  await showsGroups(page, ["bug2 cards", "ui1 card", "No label1 card"]);
  await choose(page, "Group", "By assignee");
  await showsGroups(page, ["MAMel Acme2 cards", "No assignee2 cards"]);
  await shows(page, "D B C A");
  await choose(page, "Group", "By author");
  await showsGroups(page, ["Ada Acme4 cards"]);
  await choose(page, "Group", "By column");
  await showsGroups(page, ["To do3 cards", "Doing1 card"]);
  await choose(page, "Group", "By priority");
  await showsGroups(page, ["High1 card", "Medium1 card", "Low1 card", "No priority1 card"]);
  await shows(page, "B D A C");

  await ada.call(changeTicket, { params: { ticketId: id("C") }, body: { priority: "high" } });
  await showsGroups(page, ["High2 cards", "Medium1 card", "Low1 card"]);
  await shows(page, "C B D A");
  await ada.call(changeTicket, { params: { ticketId: id("D") }, body: { archived: true } });
  await showsGroups(page, ["High2 cards", "Low1 card"]);

  await page.getByRole("button", { name: "Mine" }).click();
  await shows(page, "B");
  await showsGroups(page, ["High1 card"]);
  await page.getByText("1 card", { exact: true }).first().waitFor();
  await page.getByRole("button", { name: "Remove filter: assignee" }).click();
  await shows(page, "C B A");
  await page.getByLabel("Filter by text").fill("a");
  await shows(page, "A");
  await page.waitForURL(/group=priority/);
  assert.deepEqual(problems, []);
});

test("the board's keys work in the list, and a card that was opened from it returns the focus", async () => {
  const { boardId, card } = await fewCards();
  const { page, problems } = await openPage(`/boards/${boardId}?view=list`);
  await shows(page, "D C B A");
  await page.keyboard.press("j");
  await focused(page, "D");
  await page.keyboard.press("j");
  await page.keyboard.press("ArrowDown");
  await focused(page, "B");
  await page.keyboard.press("k");
  await focused(page, "C");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "C" }).getByText("Filed by").waitFor();
  await page.waitForURL(/\/tickets\/[^?]+\?view=list$/);
  await row(page, "D").waitFor(); // the card opens beside the list
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.waitForURL(/\/boards\/[^?]+\?view=list$/);
  await focused(page, "C");

  await page.keyboard.press("p"); // opens the card at its priority
  await page.getByRole("option", { name: "High" }).click();
  await until(async () => (await card("C"))?.priority === "high");
  await page.getByRole("dialog", { name: "C" }).getByRole("combobox", { name: "Priority: High" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await focused(page, "C");
  await page.keyboard.press("m"); // opens its menu
  await page.getByRole("menuitem", { name: "Doing" }).click();
  await page
    .locator("tbody[data-card]", { has: page.getByRole("link", { name: "C", exact: true }) })
    .getByRole("cell", { name: "Doing", exact: true })
    .waitFor();
  await until(async () => (await card("C"))?.columnId === (await card("D"))?.columnId);

  await page.keyboard.press("c");
  await page.getByLabel("Title of the new card in To do").fill("E");
  await page.keyboard.press("Enter");
  await shows(page, "E D C B A");
  assert.deepEqual(problems, []);
});

test("cards of several columns are selected in list order, changed together, and undone", async () => {
  const { boardId, card } = await fewCards();
  const { page, problems } = await openPage(`/boards/${boardId}?view=list&sort=priority`);
  await shows(page, "B D A C");
  await row(page, "B").focus();
  await page.keyboard.press("x");
  await page.getByRole("toolbar", { name: "1 card selected" }).waitFor();
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.getByRole("toolbar", { name: "3 cards selected" }).waitFor();
  await page.keyboard.press("p");
  await page.getByRole("menuitem", { name: "No priority" }).click();
  await page.getByText("Priority of 3 cards changed").waitFor();
  await page.getByRole("toolbar").waitFor({ state: "detached" });
  await until(async () => (await card("B"))?.priority === "none" && (await card("D"))?.priority === "none");
  await page.keyboard.press("Control+z");
  await page.getByText("Undone").waitFor();
  await until(async () => (await card("B"))?.priority === "high" && (await card("D"))?.priority === "medium");
  await shows(page, "B D A C");
  await row(page, "D").click({ modifiers: ["Shift"] });
  await page.getByRole("toolbar").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("toolbar").waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
});

test("more cards load as the list is scrolled, and only rows near the viewport are laid out", async () => {
  const { boardId, columnIds } = await makeBoard();
  await sql`
    insert into tickets (organisation_id, column_id, position, title, author_name, created_at)
    select ${acme.organisation.id}, (${columnIds}::uuid[])[1 + n % 2], 'f' || n, 'Card ' || n, 'a test',
      timestamptz '2026-01-01' - interval '1 minute' * n
    from generate_series(1, 230) n`.execute(lodge.deps.db);
  const { page, problems } = await openPage(`/boards/${boardId}?view=list`);
  await page.getByText("230 cards").waitFor();
  await row(page, "Card 1").focus();
  const list = page.locator("[data-list]");
  await until(async () => {
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    return (await row(page, "Card 230").count()) === 1;
  });
  assert.ok((await page.locator("tbody[data-card]").count()) < 100);
  assert.equal(await page.locator("tbody[data-card]").last().locator("tr").getAttribute("aria-rowindex"), "231");
  await focused(page, "Card 1");
  await page.keyboard.press("j");
  await focused(page, "Card 2");
  assert.deepEqual(problems, []);
});
