import assert from "node:assert/strict";
import { after, test } from "node:test";
import { changeColumn, createBoard, createTicket, viewBoard } from "@lodge/contract/calls.generated";
import type { CreateTicket } from "@lodge/contract/dashboard/tickets";
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
const secret = acme.tokens[0]?.secret;
const projectId = acme.projects[0]?.id ?? "";
const ada = await signedIn(lodge, "ada@acme.test");
const mel = await signedIn(lodge, "mel@acme.test");

/** A new board with these cards in its first column, the last one on top. */
async function makeBoard(titles: string[] = [], more: Partial<CreateTicket> = {}) {
  const { id: boardId } = await ada.call(createBoard, { body: { projectId, name: "Board" } });
  const { columns } = await ada.call(viewBoard, { params: { boardId }, query: {} });
  const [todo = "", doing = "", done = ""] = columns.map(({ id }) => id);
  for (const title of titles) await ada.call(createTicket, { body: { columnId: todo, title, ...more } });
  const cards = async () => {
    const board = await ada.call(viewBoard, { params: { boardId }, query: {} });
    return board.columns.map((column) => column.cards);
  };
  const titlesByColumn = async () => (await cards()).map((column) => column.map(({ title }) => title).join(" "));
  return { boardId, todo, doing, done, cards, titlesByColumn };
}

async function openPage(path: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, "mel@acme.test");
  await opened.page.goto(path);
  return opened;
}

const card = (page: Page, name: string) => page.getByRole("link", { name, exact: true });
const column = (page: Page, name: string) => page.getByRole("region", { name });
const shown = (page: Page, name: string) => column(page, name).locator("li a").allTextContents();
const shows = (page: Page, name: string, titles: string) =>
  until(async () => (await shown(page, name)).join(" ") === titles);

/** Waits for the server, because a board shows changes before they are saved. */
const waitForTitles = (titlesByColumn: () => Promise<string[]>, expected: string[]) =>
  eventually(async () => assert.deepEqual(await titlesByColumn(), expected));
/** Undoes the last change with the shortcut, which does not work while a menu is open. */
async function undo(page: Page) {
  await page.getByRole("menu").waitFor({ state: "detached" });
  await page.keyboard.press("Control+z");
  await page.getByText("Undone").waitFor(); // it disappears by itself
}

test("cards are selected by keyboard, moved together, and put back by a shortcut", async () => {
  const { boardId, titlesByColumn } = await makeBoard(["E", "D", "C", "B", "A"]);
  const { page, problems } = await openPage(`/boards/${boardId}`);
  await card(page, "A").focus();
  await page.keyboard.press("x");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowUp"); // shrinks the range again
  const bar = page.getByRole("toolbar", { name: "3 cards selected" });
  await bar.waitFor();
  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Doing" }).click();
  await shows(page, "Doing", "A C D");
  await bar.waitFor({ state: "detached" });
  await page.getByText("3 cards moved to Doing").waitFor();
  await waitForTitles(titlesByColumn, ["B E", "A C D", ""]);
  await undo(page);
  await shows(page, "To do", "A B C D E");
  await waitForTitles(titlesByColumn, ["A B C D E", "", ""]);

  await card(page, "B").focus();
  await page.keyboard.press("x");
  await page.getByRole("toolbar", { name: "1 card selected" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("toolbar").waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
});

test("only cards near the viewport are rendered, and the keyboard reaches every card", async () => {
  const titles = Array.from({ length: 60 }, (_, index) => `Card ${60 - index}`);
  const { boardId } = await makeBoard(titles);
  const { page, problems } = await openPage(`/boards/${boardId}`);
  const list = column(page, "To do").locator("ul").locator("..");
  const focused = () => page.evaluate("document.activeElement.textContent");
  const scrollTo = (top: number) => list.evaluate((element, to) => element.scrollTo(0, to), top);
  await card(page, "Card 1").focus();
  await until(async () => {
    await scrollTo(100_000); // more cards load meanwhile
    return (await card(page, "Card 60").count()) === 1;
  });
  await eventually(async () => assert.ok((await shown(page, "To do")).length < 40));
  await eventually(async () =>
    assert.equal(await column(page, "To do").locator("li").last().getAttribute("aria-posinset"), "60"),
  );
  await eventually(async () => assert.equal(await focused(), "Card 1", "the focused card keeps the focus"));
  await page.keyboard.press("ArrowDown");
  await eventually(async () => assert.equal(await focused(), "Card 2", "the key press renders the next card"));
  await until(async () => (await card(page, "Card 60").count()) === 0);
  for (let place = 3; place <= 60; place++) await page.keyboard.press("j");
  await eventually(async () => assert.equal(await focused(), "Card 60"));
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Space");
  await shows(page, "Doing", "Card 60");
  await eventually(async () => assert.equal(await focused(), "Card 60"));
  await page.keyboard.press("k");
  await eventually(async () => assert.equal(await focused(), "Card 59"));

  await scrollTo(100_000);
  await page.getByLabel("Filter by text").fill("Card");
  await page.waitForURL(/q=Card/);
  await until(() => list.evaluate((element) => element.scrollTop === 0));
  assert.deepEqual(problems, []);
});

test("cards are selected by mouse, then labelled, assigned and archived together, each with an undo", async () => {
  const { boardId, cards, titlesByColumn } = await makeBoard(["D", "C", "B", "A"]);
  const { page, problems } = await openPage(`/boards/${boardId}`);
  const select = async () => {
    await page.getByRole("toolbar").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Select A" }).click();
    await card(page, "C").click({ modifiers: ["Shift"] });
    await page.getByRole("toolbar", { name: "3 cards selected" }).waitFor();
  };
  await select();
  await page.getByRole("button", { name: "Label" }).click();
  const picker = page.getByRole("combobox", { name: "Find or create a label" });
  await picker.fill("flaky");
  await page.getByRole("option", { name: "Create flaky" }).waitFor();
  await picker.press("Enter");
  await page.getByText("3 cards labelled flaky").waitFor();
  await eventually(async () =>
    assert.deepEqual(
      (await cards())[0]?.map(({ labels }) => labels.join()),
      ["flaky", "flaky", "flaky", ""],
    ),
  );
  await select();
  await page.keyboard.press("a");
  await page.getByRole("menuitem", { name: /Agent\s*uses 3 credits/ }).waitFor();
  await page.getByRole("menuitem", { name: "Grace Acme" }).click();
  await page.getByText("3 cards assigned to Grace Acme").waitFor();
  await eventually(async () =>
    assert.equal((await cards())[0]?.filter(({ assignee }) => assignee?.name === "Grace Acme").length, 3),
  );
  await select();
  await page.getByRole("button", { name: "Archive" }).click();
  await shows(page, "To do", "D");
  const archived = page.locator("section[aria-label=Messages] div").filter({ hasText: "3 cards archived" }).first();
  // On a slow machine, older messages disappear and move this one, and then it disappears, too. So do not wait for it to
  // stop moving.
  await archived.getByRole("button", { name: "Undo" }).dispatchEvent("click");
  await page.getByText("Undone").waitFor();
  await shows(page, "To do", "A B C D");
  await waitForTitles(titlesByColumn, ["A B C D", "", ""]);
  assert.deepEqual(problems, []);
});

test("dragging a selected card moves all selected cards, and a shortcut undoes it", async () => {
  const { boardId, doing, titlesByColumn } = await makeBoard(["D", "C", "B", "A"]);
  for (const title of ["Below", "Above"]) await ada.call(createTicket, { body: { columnId: doing, title } });
  const { page, problems } = await openPage(`/boards/${boardId}`);
  for (const name of ["A", "C"]) await page.getByRole("button", { name: `Select ${name}`, exact: true }).click();
  await page.getByRole("toolbar", { name: "2 cards selected" }).waitFor();
  const below = page.getByRole("listitem").filter({ has: card(page, "Below") });
  await card(page, "C").dragTo(below, { targetPosition: { x: 80, y: 10 } });
  await shows(page, "Doing", "Above A C Below");
  await page.getByText("2 cards moved to Doing").waitFor();
  await waitForTitles(titlesByColumn, ["B D", "Above A C Below", ""]);
  await undo(page);
  await shows(page, "To do", "A B C D");

  // A card that is not selected moves alone.
  await page.getByRole("button", { name: "Select A", exact: true }).click();
  await page.getByRole("button", { name: "Select B", exact: true }).click();
  await card(page, "D").dragTo(column(page, "Done"), { targetPosition: { x: 80, y: 300 } });
  await shows(page, "Done", "D");
  await page.getByRole("toolbar", { name: "2 cards selected" }).waitFor();
  await until(async () => (await titlesByColumn()).join() === "A B C,Above Below,D");
  assert.deepEqual(problems, []);
});

test("moving a selected card by keyboard moves all selected cards", async () => {
  const { boardId, doing, titlesByColumn } = await makeBoard(["D", "C", "B", "A"]);
  for (const title of ["Below", "Above"]) await ada.call(createTicket, { body: { columnId: doing, title } });
  const { page, problems } = await openPage(`/boards/${boardId}`);
  await card(page, "A").focus();
  for (const key of ["x", "ArrowDown", "ArrowDown", "x", "Space"]) await page.keyboard.press(key);
  await page.getByText("Picked up 2 cards. Column To do, place 3 of 4. Arrow keys move them").waitFor();
  await page.keyboard.press("ArrowUp");
  await shows(page, "To do", "A C B D");
  await page.keyboard.press("ArrowRight");
  await shows(page, "Doing", "A C Above Below");
  await page.keyboard.press("ArrowDown");
  await shows(page, "Doing", "Above A C Below");
  await page.getByText("Column Doing, place 3 of 4").waitFor();
  await page.keyboard.press("Escape");
  await shows(page, "To do", "A B C D");
  await page.getByRole("toolbar", { name: "2 cards selected" }).waitFor();
  for (const key of ["Space", "ArrowRight", "Space"]) await page.keyboard.press(key);
  await page.getByText("2 cards moved to Doing").waitFor();
  await waitForTitles(titlesByColumn, ["B D", "Above A C Below", ""]);
  await eventually(async () => assert.equal(await page.evaluate("document.activeElement.textContent"), "C"));
  await undo(page);
  await shows(page, "To do", "A B C D");
  assert.deepEqual(problems, []);
});

test("menus show shortcuts and open the fields of a card", async () => {
  const { boardId } = await makeBoard(["A"]);
  const { page, problems } = await openPage(`/boards/${boardId}`);
  await card(page, "A").focus();
  await page.keyboard.press("m");
  const hasKeys = (keys: string) =>
    until(async () => (await page.getByRole("menu").locator("kbd").allTextContents()).join("") === keys);
  await hasKeys("MAPLERX");
  await page.getByRole("menuitem", { name: "Set the priority" }).click();
  await page.getByRole("option", { name: "High" }).click();
  await page.getByRole("combobox", { name: "Priority: High" }).waitFor();
  await page.getByRole("button", { name: "Actions for the card" }).click();
  await hasKeys("MAPLER");
  await page.getByRole("menuitem", { name: "Edit the description" }).click();
  await page.getByRole("textbox", { name: "Description" }).waitFor();
  assert.deepEqual(problems, []);
});

test("cards are deleted from the selection bar, and a card from its panel", async () => {
  const { boardId, titlesByColumn } = await makeBoard(["D", "C", "B", "A"]);
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  const { page, problems } = opened;
  await openAs(page, lodge, "ada@acme.test");
  await page.goto(`/boards/${boardId}`);
  await card(page, "A").focus();
  await page.keyboard.press("x");
  await page.keyboard.press("Shift+ArrowDown");
  await page.getByRole("toolbar", { name: "2 cards selected" }).waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete 2 cards" }).click();
  await shows(page, "To do", "C D");
  await page.getByRole("toolbar").waitFor({ state: "detached" });

  await card(page, "C").click();
  await page.getByRole("button", { name: "Actions for the card" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Delete 1 card", exact: true }).click();
  await page.getByRole("dialog", { name: "C" }).waitFor({ state: "detached" });
  await shows(page, "To do", "D");
  await waitForTitles(titlesByColumn, ["D", "", ""]);
  assert.deepEqual(problems, []);
});

test("Undo stays visible while it is hovered or focused", async () => {
  const { boardId } = await makeBoard(["B", "A"]);
  const { page } = await openPage(`/boards/${boardId}`);
  await card(page, "A").focus();
  await page.clock.install();
  await page.keyboard.press("x");
  await page.getByRole("button", { name: "Archive" }).click();
  const undoButton = page.getByRole("button", { name: "Undo" });
  await undoButton.waitFor();
  await until(async () => {
    await undoButton.hover(); // the bar below the messages disappears meanwhile and moves them
    return page.locator("#messages:hover").isVisible();
  });
  await page.clock.runFor(60_000);
  assert.equal(await undoButton.count(), 1, "pointed at");
  await undoButton.focus();
  await page.mouse.move(5, 5);
  await page.clock.runFor(60_000);
  assert.equal(await undoButton.count(), 1, "focused");
  await card(page, "B").focus();
  await page.clock.runFor(60_000);
  await undoButton.waitFor({ state: "detached" });
});

test("a view is saved, shown above the board and in ⌘K, renamed, changed and deleted", async () => {
  const { boardId, todo } = await makeBoard(["Adas"]);
  await mel.call(createTicket, { body: { columnId: todo, title: "Mine", assigneeUserId: acme.members[2]?.id ?? "" } });
  const { page, problems } = await openPage(`/boards/${boardId}`);
  const menu = () => page.getByRole("button", { name: "Actions for this board" }).click();
  await page.getByRole("button", { name: "Mine", exact: true }).click();
  await page.getByRole("button", { name: "Save as a view" }).click();
  await page
    .locator("input:focus")
    .and(page.getByRole("textbox", { name: "Name" }))
    .waitFor();
  await page.keyboard.type("My own");
  await page.keyboard.press("Enter");
  await page.getByText("“My own” saved").waitFor();
  await page.getByRole("button", { name: "Save as a view" }).waitFor({ state: "detached" }); // the view is saved
  await page.getByRole("button", { name: "Clear" }).click();
  await shows(page, "To do", "Mine Adas");
  const tabs = page.getByRole("navigation", { name: "Views" });
  await tabs.getByRole("link", { name: "My own" }).click();
  await shows(page, "To do", "Mine");
  await page.waitForURL(/\?assignee=me$/);

  await page.goto("/members");
  await page.getByRole("heading", { name: "Members", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await page.getByLabel("Search cards and commands").fill("my own");
  await page.getByRole("option", { name: "My own View of Board" }).click();
  await shows(page, "To do", "Mine");
  const manage = async () => {
    await menu();
    await page.getByRole("menuitem", { name: "Manage views" }).click();
  };
  await page.goto(`/boards/${boardId}?priority=high`);
  await manage();
  await page.getByRole("button", { name: "Update My own to the current filter" }).click();
  await page.getByText("“My own” saved").waitFor();
  await page.getByRole("button", { name: "Rename My own" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Urgent");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Rename Urgent" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Clear" }).click();
  await shows(page, "To do", "Mine Adas");
  await tabs.getByRole("link", { name: "Urgent" }).click();
  await page.waitForURL(/\?priority=high$/);
  await manage();
  await page.getByRole("button", { name: "Delete Urgent" }).click();
  await page.getByText("Set a filter to save one").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Save as a view" }).waitFor();

  await page.getByRole("button", { name: "Add to favourites" }).click();
  await page.getByRole("button", { name: "Remove from favourites" }).waitFor();
  await page.getByRole("region", { name: "Favourites" }).getByRole("link", { name: "Board" }).waitFor();
  assert.deepEqual(problems, []);
});

test("a card is archived and deleted from its menu, and archived cards are restored from the board's menu", async () => {
  const { boardId, titlesByColumn } = await makeBoard(["B", "A"]);
  await mel.call(createTicket, {
    body: {
      columnId: (await mel.call(viewBoard, { params: { boardId }, query: {} })).columns[0]?.id ?? "",
      title: "C",
    },
  });
  const { page, problems } = await openPage(`/boards/${boardId}`);
  const choose = async (name: string, action: string) => {
    await page.getByRole("button", { name: `Move ${name}`, exact: true }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };
  await choose("A", "Archive");
  await shows(page, "To do", "C B");
  await page.getByText("1 card archived").waitFor();
  await page.getByRole("button", { name: "Actions for this board" }).click();
  await page.getByRole("menuitem", { name: "Archived cards" }).click();
  await page.getByRole("button", { name: "Restore A" }).click();
  await page.getByText("No archived cards.").waitFor();
  await page.keyboard.press("Escape");
  await shows(page, "To do", "C A B");

  await choose("C", "Delete");
  await page.getByRole("button", { name: "Delete 1 card" }).click();
  await shows(page, "To do", "A B");
  await choose("B", "Delete");
  await page.getByRole("button", { name: "Delete 1 card" }).click();
  await page.getByRole("alertdialog").getByRole("alert").waitFor(); // Ada filed it, and Mel is not an admin
  await page.getByRole("button", { name: "Cancel" }).click();

  await card(page, "A").click();
  await page.getByRole("button", { name: "Actions for the card" }).click();
  await page.getByRole("menuitem", { name: "Archive" }).click();
  await page.getByText("it is no longer on its board").waitFor();
  await page.getByRole("button", { name: "Close card" }).click();
  await shows(page, "To do", "B");
  await waitForTitles(titlesByColumn, ["B", "", ""]);
  assert.deepEqual(problems, []);
});

test("a column's menu makes it the done column, and the board's menu sets when done cards are archived", async () => {
  const { boardId } = await makeBoard(["A"]);
  const { page, problems } = await openPage(`/boards/${boardId}`);
  await page.getByRole("button", { name: "Actions for the column To do" }).click();
  await page.getByRole("menuitem", { name: "Use as done column" }).click();
  await column(page, "To do")
    .locator("li")
    .getByText(/^Done\. Filed /)
    .waitFor();
  await page.getByRole("button", { name: "Actions for this board" }).click();
  await page.getByRole("menuitem", { name: "Archive done cards" }).click();
  await page.getByRole("combobox", { name: "Archive done cards: After 14 days" }).click();
  await page.getByRole("option", { name: "Never" }).click();
  await until(async () => (await mel.call(viewBoard, { params: { boardId }, query: {} })).doneCardDays === null);
  assert.deepEqual(problems, []);
});

test("a board is filtered by author, label, date and Mine; the URL keeps the filter, and live events respect it", async () => {
  const { boardId, todo, done } = await makeBoard(["Adas"], { labels: ["ci"] });
  const melsId = acme.members[2]?.id ?? "";
  const file = (title: string, more: Partial<CreateTicket>) =>
    mel.call(createTicket, { body: { columnId: todo, title, ...more } });
  await file("Mine", { assigneeUserId: melsId, dueAt: "2020-01-01", labels: ["ci", "ui"] });
  await file("Shipped", { columnId: done, assigneeUserId: melsId, dueAt: "2020-01-01" });
  await lodge.fileTicket(secret, { title: "Nightly", boardId });
  await ada.call(changeColumn, { params: { columnId: done }, body: { isDone: true } });
  const { page, problems } = await openPage(`/boards/${boardId}`);
  const address = () => new URL(page.url()).search;
  const set = async (name: string, option: string) => {
    await page.getByRole(name === "Label" ? "button" : "combobox", { name: `${name}: ` }).click();
    await page.getByRole("option", { name: option, exact: true }).click();
  };
  await page.getByRole("button", { name: "Mine", exact: true }).click();
  await shows(page, "To do", "Mine");
  await eventually(async () =>
    assert.equal(address(), "?assignee=me", "the URL says “me”, so whoever opens it sees their own cards"),
  );
  await page.getByRole("button", { name: "Filters 1 set" }).click();
  await set("Due", "Overdue");
  await shows(page, "Done", "");
  await page.reload();
  await shows(page, "To do", "Mine");
  await page.getByRole("button", { name: "Remove filter: due" }).click();
  await shows(page, "Done", "Shipped");
  await page.getByRole("button", { name: "Clear" }).click();
  await shows(page, "To do", "Nightly Mine Adas");

  await page.getByRole("button", { name: "Filters" }).click();
  await set("Filed by", "API tokens");
  await shows(page, "To do", "Nightly");
  await set("Filed by", "CI");
  await shows(page, "To do", "Nightly");
  await lodge.fileTicket(secret, { title: "Again", boardId });
  await file("Not filed by a token", {});
  await shows(page, "To do", "Again Nightly");
  await set("Filed by", "Anyone");
  await set("Label", "ui");
  await shows(page, "To do", "Mine");
  await set("Label", "Any label");
  await set("Filed", "Last 7 days"); // so that midnight does not break the test
  // Not `check()`: the box is only checked once the URL has changed.
  await page.getByRole("checkbox", { name: "Only open cards" }).click();
  await shows(page, "Done", "");
  await shows(page, "To do", "Not filed by a token Again Nightly Mine Adas");
  await eventually(async () => assert.equal(address(), "?filed=week&open=true"));
  assert.deepEqual(problems, []);
});

test("clearing a filter that matches no cards does not show the board as waiting for its first card while the cards load", async () => {
  const { boardId } = await makeBoard(["There all along"]);
  const { page, problems } = await openPage(`/boards/${boardId}?q=nothing+like+it`);
  await page.getByText("No cards match the filter").first().waitFor();
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  await page.route(`**/api/dashboard/boards/${boardId}`, async (route) => {
    asked.resolve();
    await held.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Clear", exact: true }).click();
  await asked.promise;
  await page.getByRole("list", { name: "Active filters" }).waitFor({ state: "detached" });
  assert.equal(await page.getByText("Waiting for the first card").count(), 0);
  held.resolve();
  await shows(page, "To do", "There all along");
  assert.equal(await page.getByText("The first card has arrived").count(), 0);
  assert.deepEqual(problems, []);
});

test("an empty board shows a request that files a ticket, and changes when the first ticket arrives", async () => {
  const { boardId, todo } = await makeBoard();
  const { page, problems } = await openPage(`/boards/${boardId}`);
  await page.getByText("Waiting for the first card").waitFor();
  const request = page.getByRole("region", { name: "From a terminal" }).locator("code").filter({ hasText: todo });
  const line = await request.innerText();
  const [, body = ""] = /-d '(.*)'$/.exec(line) ?? [];
  assert.equal(JSON.parse(body).columnId, todo);
  const filed = await lodge.fileTicket(secret, JSON.parse(body));
  assert.equal(filed.status, 201);
  await card(page, "Nightly build is red").waitFor();
  await page.getByText("The first card has arrived: “Nightly build is red”").waitFor();
  await page.getByText("Waiting for the first card").waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
});
