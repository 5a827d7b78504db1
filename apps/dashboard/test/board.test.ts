import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { type Service, startService } from "../../server/src/testing/start-service.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";

/** Acme's board Inbox with three cards in Backlog: C, B and A from the top. */
async function makeBoard(lodge: Service) {
  const { acme } = await twoOrganisations(lodge);
  const [board] = acme.projects[0]?.boards ?? [];
  if (!board) throw new Error("no board");
  const ada = await signedIn(lodge, "ada@acme.test");
  const backlog = board.columns[0]?.id;
  for (const title of ["A", "B", "C"]) await ada("POST", "/tickets", { columnId: backlog, title: `Card ${title}` });
  return { board, ada };
}

async function openBoard(lodge: Service, page: Page, boardId: string, email: string) {
  await openAs(page, lodge, email);
  await page.goto(`/boards/${boardId}`);
  await page.getByText("Card A").waitFor();
}

const column = (page: Page, name: string) => page.getByRole("region", { name });

/** Waits until the elements of a selector have these texts, in this order. */
const says = (area: Locator, selector: string, expected: string[]) =>
  eventually(async () => assert.deepEqual(await area.locator(selector).allTextContents(), expected));

/** Waits until a column shows these cards from the top. */
const showsCards = (area: Locator, titles: string[]) => says(area, "li a", titles);

/** Picks up the card that has or is about to get the focus. */
async function pickUp(page: Page, title: string) {
  await page
    .locator("a:focus")
    .and(page.getByRole("link", { name: title }))
    .waitFor();
  await page.keyboard.press("Space");
  await page.getByText(`Picked up ${title}.`).waitFor();
}

test("a card is moved by keyboard within and between columns, and screen readers hear each step", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { board } = await makeBoard(lodge);
  const { page, problems } = await browser.open(lodge.url);
  await openBoard(lodge, page, board.id, "mel@acme.test");
  const inDoing = lodge.deps.db.selectFrom("tickets").where("column_id", "=", board.columns[1]?.id ?? "");
  const backlog = column(page, "Backlog");
  const doing = column(page, "Doing");

  await page.getByRole("link", { name: "Card C" }).focus();
  await pickUp(page, "Card C");
  await page.getByText("Picked up Card C. Column Backlog, place 1 of 3.").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.getByText("Column Backlog, place 2 of 3").waitFor();
  await page.keyboard.press("Space");
  await showsCards(backlog, ["Card B", "Card C", "Card A"]);

  await pickUp(page, "Card C");
  await page.keyboard.press("ArrowRight");
  await page.getByText("Column Doing, place 1 of 1").waitFor();
  await page.keyboard.press("Escape");
  await showsCards(backlog, ["Card B", "Card C", "Card A"]);

  await pickUp(page, "Card C");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await showsCards(doing, ["Card C"]);
  await eventually(async () => assert.equal(await page.evaluate("document.activeElement.textContent"), "Card C"));
  await page.keyboard.press("ArrowLeft");
  await eventually(async () => assert.equal(await page.evaluate("document.activeElement.textContent"), "Card B"));

  await until(async () => (await inDoing.select("id").execute()).length === 1); // the page shows it before it is saved
  await page.reload();
  await showsCards(doing, ["Card C"]);
  await showsCards(backlog, ["Card B", "Card A"]);
  assert.deepEqual(problems, []);
});

test("a card that is dragged by mouse moves in other browsers too", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { board } = await makeBoard(lodge);
  const [mel, grace] = await Promise.all([browser.open(lodge.url), browser.open(lodge.url)]);
  await openBoard(lodge, mel.page, board.id, "mel@acme.test");
  await openBoard(lodge, grace.page, board.id, "grace@acme.test");

  const card = (page: Page, name: string) => page.locator("li").filter({ hasText: name });
  await card(mel.page, "Card C").dragTo(column(mel.page, "Doing"), { targetPosition: { x: 80, y: 300 } });
  await showsCards(column(mel.page, "Doing"), ["Card C"]);
  await showsCards(column(grace.page, "Doing"), ["Card C"]);
  await showsCards(column(grace.page, "Backlog"), ["Card B", "Card A"]);

  await card(grace.page, "Card A").dragTo(card(grace.page, "Card B"), { targetPosition: { x: 80, y: 3 } });
  await showsCards(column(grace.page, "Backlog"), ["Card A", "Card B"]);
  await showsCards(column(mel.page, "Backlog"), ["Card A", "Card B"]);
  assert.deepEqual([...mel.problems, ...grace.problems], []);
});

test("every tab shows a new card, even after the tab that holds the stream is closed", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { board, ada } = await makeBoard(lodge);
  const { page } = await browser.open(lodge.url);
  await openBoard(lodge, page, board.id, "mel@acme.test");
  const tab = await page.context().newPage();
  await tab.goto(`/boards/${board.id}`);
  await tab.getByText("Card A").waitFor();
  const file = (title: string) => ada("POST", "/tickets", { columnId: board.columns[1]?.id, title });
  await file("For both");
  await showsCards(column(page, "Doing"), ["For both"]);
  await showsCards(column(tab, "Doing"), ["For both"]);
  await page.close();
  await file("For the other");
  await showsCards(column(tab, "Doing"), ["For the other", "For both"]);
});

test("a card is moved from its menu", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { board } = await makeBoard(lodge);
  const { page } = await browser.open(lodge.url);
  await openBoard(lodge, page, board.id, "mel@acme.test");
  await page.getByRole("button", { name: "Move Card C" }).click();
  await page.getByRole("menuitem", { name: "Done" }).click();
  await showsCards(column(page, "Done"), ["Card C"]);
  await page.getByRole("button", { name: "Move Card A" }).click();
  await page.getByRole("menuitem", { name: "Move to the top" }).click();
  await showsCards(column(page, "Backlog"), ["Card A", "Card B"]);
});

test("a move that cannot be saved is reverted, with the reason", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { board } = await makeBoard(lodge);
  const { page } = await browser.open(lodge.url);
  await openBoard(lodge, page, board.id, "mel@acme.test");
  await page.route(/\/api\/dashboard\/tickets\/[^/]*\/move$/, (route) =>
    route.fulfill({ status: 404, json: { error: "column_not_found", message: "There is no such column." } }),
  );
  await page.getByRole("link", { name: "Card C" }).focus();
  await pickUp(page, "Card C");
  for (const key of ["ArrowRight", "Space"]) await page.keyboard.press(key);
  await page.getByText("“Card C” was moved back. There is no such column.").waitFor();
  await showsCards(column(page, "Backlog"), ["Card C", "Card B", "Card A"]);
});

test("filters are kept in the URL and narrow the board", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { board, ada } = await makeBoard(lodge);
  await ada("POST", "/tickets", { columnId: board.columns[1]?.id, title: "Urgent thing", priority: "high" });
  const { page } = await browser.open(lodge.url);
  await openBoard(lodge, page, board.id, "mel@acme.test");
  await page.getByLabel("Filter by text").fill("card b");
  await showsCards(column(page, "Backlog"), ["Card B"]);
  await page.waitForURL(/q=card/);
  await page.reload();
  await showsCards(column(page, "Backlog"), ["Card B"]);
  await eventually(async () => assert.equal(await page.getByLabel("Filter by text").inputValue(), "card b"));
  await page.getByRole("button", { name: "Clear" }).click();
  await showsCards(column(page, "Backlog"), ["Card C", "Card B", "Card A"]);
  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByRole("combobox", { name: "Priority" }).click();
  await page.getByRole("option", { name: "High" }).click();
  await page.waitForURL(/priority=high/);
  await showsCards(column(page, "Doing"), ["Urgent thing"]);
  await page.getByText("No cards match the filter").first().waitFor();
});

test("cards and columns are created, renamed, reordered and deleted on the board", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { board } = await makeBoard(lodge);
  const { page, problems } = await browser.open(lodge.url);
  await openBoard(lodge, page, board.id, "mel@acme.test");
  await page.getByRole("button", { name: "New card in Doing" }).click();
  await page.locator("textarea:focus").waitFor();
  await page.keyboard.type("First\nSecond\n");
  await page.keyboard.press("Escape");
  await showsCards(column(page, "Doing"), ["Second", "First"]);
  const inDoing = lodge.deps.db.selectFrom("tickets").where("column_id", "=", board.columns[1]?.id ?? "");
  await until(async () => (await inDoing.select("id").execute()).length === 2); // the page shows them before they are saved

  await page.getByRole("button", { name: "Add column" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Blocked");
  await page.getByRole("button", { name: "Add column" }).click();
  await page.getByRole("button", { name: "Actions for the column Blocked" }).click();
  await page.getByRole("menuitem", { name: "Move left" }).click();
  await page.getByRole("heading", { name: "Blocked" }).waitFor();
  await says(page.getByRole("main"), "h2", ["Backlog", "Doing", "Blocked", "Done"]);
  await page.getByRole("button", { name: "Actions for the column Blocked" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Waiting");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("button", { name: "Actions for the column Waiting" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete the column" }).click();
  await page.getByRole("heading", { name: "Waiting" }).waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Actions for the column Doing" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("combobox", { name: /^Move \d+ cards? to: Backlog$/ }).click();
  await page.getByRole("option", { name: "Done", exact: true }).click();
  await page.getByRole("button", { name: "Move and delete", exact: true }).click();
  await page.getByRole("heading", { name: "Doing" }).waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
});

test("a card that is followed from its menu appears in My work", async () => {
  await using lodge = await startService();
  await using browser = await startBrowser();
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const columnId = acme.projects[0]?.boards[0]?.columns[0]?.id;
  const { body: card } = await ada("POST", "/tickets", { columnId, title: "Watch me", dueAt: "2020-01-01" });
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto("/work");
  await page.getByText("To follow a card, open its menu").waitFor();

  await page.goto(`/tickets/${card.id}`);
  await page.getByRole("button", { name: "Actions for the card" }).click();
  await page.getByRole("menuitem", { name: "Follow", exact: true }).click();
  await page.getByText("You follow this card").waitFor();
  await page.getByRole("link", { name: "My work" }).click();
  const followed = page.getByRole("region", { name: "Followed" });
  await followed.getByRole("link", { name: "Watch me" }).waitFor();
  await followed.getByText("Overdue since").waitFor();
  assert.deepEqual(problems, []);
});
