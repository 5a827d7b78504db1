import assert from "node:assert/strict";
import { after, test } from "node:test";
import { changeTicket, createBoard, createTicket, getTicket, viewBoard } from "@lodge/contract/calls.generated";
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

async function openPage(path: string, name = "grace") {
  const opened = await browser.open(lodge.url, {
    viewport: { width: 1440, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
  });
  await openAs(opened.page, lodge, `${name}@acme.test`);
  await opened.page.goto(path);
  return opened;
}

/** A new board with the cards Second and First in its first column, from the top. */
async function makeBoard(name: string) {
  const { id: boardId } = await ada.call(createBoard, { body: { projectId: acme.projects[0]?.id ?? "", name } });
  const { columns } = await ada.call(viewBoard, { params: { boardId }, query: {} });
  const [todo = "", doing = "", done = ""] = columns.map(({ id }) => id);
  const { id: first } = await ada.call(createTicket, { body: { columnId: todo, title: `${name} first` } });
  const { id: second } = await ada.call(createTicket, { body: { columnId: todo, title: `${name} second` } });
  return { boardId, todo, doing, done, first, second };
}

const ticket = (ticketId: string) => ada.call(getTicket, { params: { ticketId } });
const cardIn = (page: Page, column: string, name: string) =>
  page.getByRole("region", { name: column, exact: true }).getByRole("link", { name, exact: true });
const focused = (page: Page, name = "Search cards and commands") =>
  page.locator(":focus").and(page.getByRole("combobox", { name, exact: true }));
const option = (page: Page, name: string) => page.getByRole("option", { name, exact: true });

async function openPalette(page: Page) {
  await page.keyboard.press("Control+k");
  await focused(page).waitFor();
}

/** Types a text, and chooses the active entry. */
async function take(page: Page, text: string, name: string) {
  await page.keyboard.type(text);
  await page.getByRole("option", { name, selected: true }).waitFor();
  await page.keyboard.press("Enter");
}

/** Opens the list of an entry, and chooses from it. */
async function takeFrom(page: Page, list: string, text: string, name: string) {
  await openPalette(page);
  await take(page, list, `${list}…`);
  await focused(page, list).waitFor();
  await take(page, text, name);
}

test("⌘K acts on the focused card of a board, keeps the focus, and each action can be undone", async () => {
  const { boardId, first } = await makeBoard("Focus");
  const { page, problems } = await openPage(`/boards/${boardId}`);
  const card = (column: string) => cardIn(page, column, "Focus first");
  await card("To do").focus();
  await takeFrom(page, "Assign to", "mel", "Mel Acme");
  await page.getByText("1 card assigned to Mel Acme", { exact: true }).waitFor();
  await page.locator(":focus").and(card("To do")).waitFor();
  await takeFrom(page, "Set priority", "hi", "High");
  await page.getByText("Priority of 1 card changed", { exact: true }).waitFor();
  await takeFrom(page, "Add label", "brittle", "Create brittle");
  await page.getByText("1 card labelled brittle", { exact: true }).waitFor();
  await takeFrom(page, "Move to", "doi", "Doing");
  await page.getByText("Moved to Doing", { exact: true }).waitFor();
  await page.locator(":focus").and(card("Doing")).waitFor();
  await openPalette(page);
  await take(page, "mark", "Mark done");
  await page.getByText("Moved to Done", { exact: true }).waitFor();
  await page.locator(":focus").and(card("Done")).waitFor();
  const { assignee, priority, labels, column } = await ticket(first);
  assert.deepEqual([assignee?.name, priority, labels, column.name], ["Mel Acme", "high", ["brittle"], "Done"]);

  await page.keyboard.press("Control+z");
  await page.locator(":focus").and(card("Doing")).waitFor();
  await page.keyboard.press("Control+z");
  await page.locator(":focus").and(card("To do")).waitFor();
  await page.keyboard.press("Control+z");
  await until(async () => (await ticket(first)).labels.length === 0);
  await page.keyboard.press("Control+z");
  await until(async () => (await ticket(first)).priority === "none");
  await page.keyboard.press("Control+z");
  await until(async () => (await ticket(first)).assignee === null);

  await openPalette(page);
  await take(page, "arch", "Archive");
  await page.getByText("1 card archived", { exact: true }).waitFor();
  await page
    .locator(":focus")
    .and(cardIn(page, "To do", "Focus second"))
    .waitFor();
  await page.keyboard.press("Control+z");
  await card("To do").waitFor();
  assert.deepEqual(problems, []);
});

test("⌘K acts on the open card, or on the focused card of a list", async () => {
  const { first, doing } = await makeBoard("Panel");
  const { page, problems } = await openPage(`/tickets/${first}`);
  const panel = page.locator(".card-panel:focus, .card-panel :focus");
  await page.getByText("filed the card").waitFor();
  await takeFrom(page, "Move to", "doing", "Doing");
  await page.getByRole("combobox", { name: "Column: Doing" }).waitFor();
  await page.getByText("Moved to Doing", { exact: true }).waitFor();
  await panel.waitFor();
  await takeFrom(page, "Assign to", "grace", "Grace Acme");
  await page.getByRole("combobox", { name: "Assignee: Grace Acme" }).waitFor();
  await page.getByText("Assignee changed", { exact: true }).waitFor();
  await openPalette(page);
  await take(page, "copy", "Copy link");
  await page.getByText("Link copied", { exact: true }).waitFor();
  await openPalette(page);
  await take(page, "arch", "Archive");
  await page.getByText("it is no longer on its board").waitFor();
  await page.getByText("Archived", { exact: true }).waitFor();
  await openPalette(page);
  await take(page, "rest", "Restore to its board");
  await page.getByText("it is no longer on its board").waitFor({ state: "detached" });
  await page.getByText("Restored to its board", { exact: true }).waitFor();

  await page.goto("/work");
  await page.getByRole("link", { name: "Panel first" }).focus();
  await openPalette(page);
  await option(page, "Mark done Done").waitFor();
  await take(page, "set p", "Set priority…");
  await focused(page, "Set priority").waitFor();
  await take(page, "lo", "Low");
  await page.getByText("Priority changed", { exact: true }).waitFor();
  const { priority, column } = await ticket(first);
  assert.deepEqual([priority, column.id], ["low", doing]);
  assert.deepEqual(problems, []);
});

test("⌘K acts on the selected cards and clears the selection", async () => {
  const { boardId, first, second } = await makeBoard("Several");
  const { page, problems } = await openPage(`/boards/${boardId}`);
  await cardIn(page, "To do", "Several first").press("x");
  await cardIn(page, "To do", "Several second").press("x");
  await page.getByRole("toolbar", { name: "2 cards selected" }).waitFor();
  await openPalette(page);
  await page.getByRole("listbox", { name: "Results" }).getByText("2 cards selected").waitFor();
  assert.equal(await option(page, "Copy link").count(), 0, "a link cannot lead to two cards");
  await take(page, "move", "Move to…");
  await focused(page, "Move to").waitFor();
  await take(page, "doing", "Doing");
  const message = page
    .locator("section[aria-label=Messages] div")
    .filter({ hasText: "2 cards moved to Doing" })
    .first();
  await message.waitFor();
  await page.getByRole("toolbar").waitFor({ state: "detached" });
  await cardIn(page, "Doing", "Several first").waitFor();
  await message.getByRole("button", { name: "Undo" }).click();
  await cardIn(page, "To do", "Several first").waitFor();
  await until(async () =>
    (await Promise.all([first, second].map(ticket))).every(({ column }) => column.name === "To do"),
  );
  assert.deepEqual(problems, []);
});

test("Escape, Backspace in an empty field and the back button return from a list of choices", async () => {
  const { boardId } = await makeBoard("Back");
  const { page, problems } = await openPage(`/boards/${boardId}`);
  await cardIn(page, "To do", "Back first").focus();
  const chosen = (name: string) => page.getByRole("option", { name, selected: true }).waitFor();
  await openPalette(page);
  await take(page, "set", "Set priority…");
  await focused(page, "Set priority").waitFor();
  await page.keyboard.press("Escape");
  await focused(page).waitFor();
  await chosen("Set priority…");
  await page.keyboard.press("ArrowDown");
  await chosen("Add label…");
  await page.keyboard.press("Enter");
  await focused(page, "Add label").waitFor();
  await page.keyboard.type("x");
  await chosen("Create x");
  await page.keyboard.press("Backspace");
  await option(page, "Create x").waitFor({ state: "detached" });
  await focused(page, "Add label").waitFor();
  await page.keyboard.press("Backspace");
  await focused(page).waitFor();
  await page.getByRole("option", { name: "Move to…" }).click();
  await focused(page, "Move to").waitFor();
  await page.getByRole("button", { name: "Back (Esc)" }).click();
  await focused(page).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Search" }).waitFor({ state: "detached" });
  await page
    .locator(":focus")
    .and(cardIn(page, "To do", "Back first"))
    .waitFor();
  assert.deepEqual(problems, []);
});

test("actions that begin with the typed text come before cards that contain it, other actions after them", async () => {
  const { boardId, first } = await makeBoard("Order");
  await ada.call(changeTicket, { params: { ticketId: first }, body: { title: "Archive the link checker" } });
  const { page, problems } = await openPage(`/boards/${boardId}`);
  await cardIn(page, "To do", "Order second").focus();
  const shown = async (text: string, expected: string[]) => {
    await page.getByRole("combobox", { name: "Search cards and commands" }).fill(text);
    await eventually(async () => {
      const labels = await page.getByRole("option").locator("[dir=auto]").allInnerTexts();
      assert.deepEqual(
        labels.map((label) => label.replace(/^[A-Z]+-\d+ /, "")),
        expected,
      );
    });
  };
  await openPalette(page);
  await shown("archive", ["Archive", "Archive the link checker"]);
  await shown("link", ["Archive the link checker", "Copy link"]);
  assert.deepEqual(problems, []);
});

test("⌘K creates cards, boards and projects and invites members, as far as the person's role allows", async () => {
  const { boardId } = await makeBoard("Creation");
  const { page, problems } = await openPage("/work");
  await page.getByRole("heading", { name: "My work", exact: true }).waitFor();
  await openPalette(page);
  await take(page, "new c", "New card…");
  await focused(page, "New card on").waitFor();
  await take(page, "creation", "Creation");
  await page.waitForURL(`**/boards/${boardId}`);
  await page.locator(":focus").and(page.getByLabel("Title of the new card")).waitFor();
  await page.keyboard.type("From anywhere\n");
  await cardIn(page, "To do", "From anywhere").waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel("Title of the new card").waitFor({ state: "detached" });
  await openPalette(page);
  await take(page, "new c", "New card");
  await page.locator(":focus").and(page.getByLabel("Title of the new card")).waitFor();
  await page.keyboard.press("Escape");
  await page.getByLabel("Title of the new card").waitFor({ state: "detached" });
  await openPalette(page);
  await take(page, "invite", "Invite a member…");
  await page.getByRole("dialog", { name: "Invite to Acme" }).getByLabel("E-mail address").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await openPalette(page);
  await take(page, "new p", "New project…");
  const name = page.getByRole("dialog", { name: "New project" }).getByLabel("Name");
  await name.fill("Desktop");
  await name.press("Enter");
  await page.getByRole("main").getByRole("heading", { name: "Desktop" }).waitFor();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await openPalette(page);
  await take(page, "new b", "New board…");
  await focused(page, "New board in").waitFor();
  await take(page, "desk", "Desktop");
  const board = page.getByRole("dialog", { name: "New board in Desktop" }).getByLabel("Name");
  await board.fill("Windows");
  await board.press("Enter");
  await page.getByRole("heading", { name: "Windows Desktop" }).waitFor();
  assert.deepEqual(problems, []);

  const { page: ofMel, problems: ofMels } = await openPage("/work", "mel");
  await ofMel.getByRole("heading", { name: "My work", exact: true }).waitFor();
  await openPalette(ofMel);
  const options = async (text: string, expected: string[]) => {
    await ofMel.getByRole("combobox", { name: "Search cards and commands" }).fill(text);
    await eventually(async () => assert.deepEqual(await ofMel.getByRole("option").allInnerTexts(), expected));
  };
  await options("new ", ["New card…", "New board…", "New organisation…"]);
  await options("invite", []);
  await options(
    "settings:",
    ["Organisation", "Members", "Labels", "Usage and plan"].map((each) => `Settings: ${each}`),
  );
  assert.deepEqual(ofMels, []);
});
