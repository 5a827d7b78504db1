import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createBoard, createColumn, createTicket, viewBoard, writeComment } from "@lodge/contract/calls.generated";
import type { Page } from "playwright-core";
import { signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { readEvents, submitReport } from "../../server/src/testing/submit-report.ts";
import { eventually } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const browser = stack.use(await startBrowser());
const { acme } = await twoOrganisations(lodge);
const [board] = acme.projects[0]?.boards ?? [];
for (const title of ["One", "Two", "Three"]) {
  await lodge.fileTicket(acme.tokens[0]?.secret, { title, description: `the story of ${title}` });
}

async function openPage(path: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, "mel@acme.test");
  await opened.page.goto(path);
  return opened;
}

/** The search field, once it has the focus. */
const searchField = (page: Page) => page.locator("input:focus").and(page.getByLabel("Search cards and commands"));
const focused = (page: Page) => page.evaluate("document.activeElement.textContent");
const opened = (page: Page, name: string) =>
  page.locator(`[role=dialog]:focus`).and(page.getByRole("dialog", { name }));

test("⌘K finds cards by title and description, opens boards and runs commands, on every page", async () => {
  const { page, problems } = await openPage("/members");
  await page.getByRole("heading", { name: "Members", exact: true }).waitFor();
  const field = searchField(page);
  await page.keyboard.press("Control+k");
  await field.waitFor();
  await page.keyboard.type("STORY of t");
  await page.getByRole("option", { name: "Two Web / Inbox / Backlog" }).waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/api/dashboard/search?*", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.keyboard.type("w");
  await page.keyboard.press("Enter"); // while the results of the previous text are shown
  await eventually(async () =>
    assert.equal(
      await page
        .getByRole("option", { selected: true })
        .innerText()
        .then((text) => text.includes("Three")),
      true,
    ),
  );
  held.resolve();
  await opened(page, "Two").waitFor();
  await page.keyboard.press("Control+k");
  await field.waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog", { name: "Search" }).waitFor({ state: "detached" });
  await page.getByRole("dialog", { name: "Two" }).waitFor(); // Escape did not close the card

  await page.getByRole("button", { name: "Search" }).click();
  await field.waitFor();
  await page.keyboard.type("mobile");
  await page.getByRole("option", { name: "Inbox Mobile" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Inbox Mobile" }).waitFor();
  await page.keyboard.press("Control+k");
  await field.waitFor();
  await page.keyboard.type("dark theme");
  await page.getByRole("option", { name: "Dark theme" }).waitFor();
  await page.keyboard.press("Enter");
  await page.locator("html[data-theme=dark]").waitFor();
  assert.deepEqual(problems, []);
});

test("⌘K finds reports, including those without a problem", async () => {
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "iOS", slug: "ios", keys: ["default"] }],
  });
  const key = apps[0]?.keys[0]?.key ?? "";
  await submitReport(lodge.url, key, { reportId: "f-1", kind: "feedback", title: "Please print on A3" });
  await readEvents(lodge.deps);
  const { page, problems } = await openPage("/members");
  await page.getByRole("heading", { name: "Members", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await searchField(page).fill("print on");
  await page.getByRole("option", { name: "Please print on A3 Feedback, iOS" }).click();
  await page.waitForURL(/\/events\//);
  await page.getByRole("heading", { name: "Please print on A3" }).waitFor();
  assert.deepEqual(problems, []);
});

test("arrow keys move through menus and lists, which return the focus, and Escape closes only the innermost", async () => {
  const { page, problems } = await openPage(`/boards/${board?.id}`);
  await page.getByRole("link", { name: "One" }).focus();
  await page.keyboard.press("m");
  const menu = page.getByRole("menu", { name: "Move One" });
  await menu.waitFor();
  await eventually(async () => assert.equal(await focused(page), "Doing"));
  await page.keyboard.press("End");
  await eventually(async () => assert.equal(await focused(page), "Delete"));
  await page.keyboard.press("ArrowDown"); // wraps around
  await eventually(async () => assert.equal(await focused(page), "Doing"));
  await page.keyboard.press("ArrowUp");
  await eventually(async () => assert.equal(await focused(page), "Delete"));
  await page.keyboard.press("s"); // goes to the menu, not to the page
  await eventually(async () => assert.match(String(await focused(page)), /^Set the priority/));
  await page.keyboard.press("s");
  await eventually(async () => assert.match(String(await focused(page)), /^Select/));
  await page.keyboard.press("Tab");
  await menu.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "One" }).focus();
  await page.keyboard.press("m");
  await menu.waitFor();
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  await eventually(async () => assert.equal(await focused(page), "One"));

  const filters = page.getByRole("button", { name: "Filters" });
  await filters.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Filters" });
  const priority = dialog.getByRole("combobox", { name: "Priority: Any priority" });
  await priority.press("ArrowDown");
  const list = page.getByRole("listbox", { name: "Priority" });
  await list.waitFor();
  await eventually(async () => assert.equal(await focused(page), "Any priority")); // the chosen option
  await page.keyboard.press("m");
  await eventually(async () => assert.equal(await focused(page), "Medium"));
  await page.keyboard.press("Escape");
  await list.waitFor({ state: "detached" });
  await page.locator(":focus").and(priority).waitFor();
  await page.keyboard.press("Enter");
  await list.waitFor();
  await dialog.getByText("Only open cards").click();
  await list.waitFor({ state: "detached" });
  await dialog.waitFor(); // the click outside closed only the list
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.locator(":focus").and(filters).waitFor();
  await filters.click();
  await dialog.waitFor();
  await filters.click();
  await dialog.waitFor({ state: "detached" });
  assert.deepEqual(problems, []);
});

test("the focus follows cards that are moved and undone, or moves on when a card is archived or deleted", async () => {
  const ada = await signedIn(lodge, "ada@acme.test");
  const { id: boardId } = await ada.call(createBoard, {
    body: { projectId: acme.projects[0]?.id ?? "", name: "For the focus" },
  });
  const mel = await signedIn(lodge, "mel@acme.test"); // members can only delete cards that they filed
  const { columns } = await ada.call(viewBoard, { params: { boardId }, query: {} });
  for (const title of ["C", "B", "A"]) {
    await mel.call(createTicket, { body: { columnId: columns[0]?.id ?? "", title } });
  }
  const { page, problems } = await openPage(`/boards/${boardId}`);
  const card = (name: string) => page.getByRole("link", { name, exact: true });
  const act = async (name: string) => {
    await page.keyboard.press("m");
    await page.getByRole("menuitem", { name, exact: true }).press("Enter");
  };
  const focusedIn = (column: number) =>
    page
      .getByRole("region", { name: columns[column]?.name ?? "" })
      .locator("a:focus")
      .and(card("A"));
  await card("A").focus();
  await page.keyboard.press("x");
  await page.getByRole("toolbar", { name: "1 card selected" }).waitFor();
  await act(columns[1]?.name ?? "");
  await focusedIn(1).waitFor();
  await page.getByText(/^1 card moved to/).waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await focusedIn(0).waitFor();
  await act(columns[1]?.name ?? "");
  await focusedIn(1).waitFor();
  await card("B").focus();
  await act("Archive");
  await page.locator(":focus").and(card("C")).waitFor();
  await act("Delete");
  await page.getByRole("button", { name: "Delete 1 card" }).press("Enter");
  await page.locator(":focus").and(card("A")).waitFor();
  assert.deepEqual(problems, []);
});

test("the focus stays nearby when its element is removed, deleted or closed", async () => {
  const mel = await signedIn(lodge, "mel@acme.test");
  const ada = await signedIn(lodge, "ada@acme.test");
  const { id: boardId } = await ada.call(createBoard, {
    body: { projectId: acme.projects[0]?.id ?? "", name: "For removals" },
  });
  const { columns } = await ada.call(viewBoard, { params: { boardId }, query: {} });
  const columnId = columns[0]?.id ?? "";
  const { id: ticketId } = await mel.call(createTicket, {
    body: { columnId, title: "To be cleared", labels: ["one"], dueAt: "2026-01-01" },
  });
  await mel.call(writeComment, { params: { ticketId }, body: { text: "Never mind" } });
  const { page, problems } = await openPage(`/tickets/${ticketId}`);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const hasFocus = (name: string) => page.locator("button:focus").and(button(name)).waitFor();
  /** Confirms a dialog once it has the focus, which may take a moment. */
  const confirm = async (name: string) => {
    await page.locator(":is([role=dialog]:not(.card-panel), [role=alertdialog])").locator(":focus").waitFor();
    await button(name).press("Enter");
  };
  await button("Actions for your comment").press("Enter");
  await page.getByRole("menuitem", { name: "Delete" }).press("Enter");
  await confirm("Delete the comment");
  await page.locator(".card-panel:focus").waitFor();
  await button("Remove the label one").press("Enter");
  await hasFocus("Add label");
  await button("Clear due date").press("Enter");
  await hasFocus("Add due date");
  for (const leave of ["Escape", "ControlOrMeta+Enter"]) {
    await page.keyboard.press("e");
    await page
      .locator("textarea:focus")
      .and(page.getByRole("textbox", { name: "Description" }))
      .fill("A word");
    await page.keyboard.press(leave);
    await page.locator("#ticket-description:focus").waitFor();
  }
  await ada.call(createColumn, { body: { boardId, name: "Too many" } });
  await page.goto(`/boards/${boardId}?open=true`);
  await button("Actions for the column Too many").press("Enter");
  await page.getByRole("menuitem", { name: "Delete" }).press("Enter");
  await confirm("Delete the column");
  await page.locator("h1:focus").waitFor();
  await button("Remove filter: only open cards").press("Enter");
  await hasFocus("Filters");
  assert.deepEqual(problems, []);
});

test("keys move through a board and its cards", async () => {
  const { page, problems } = await openPage(`/boards/${board?.id}`);
  await page.getByText("Three").waitFor();
  await page.keyboard.press("j");
  await eventually(async () => assert.equal(await focused(page), "Three"));
  await page.keyboard.press("j");
  await eventually(async () => assert.equal(await focused(page), "Two"));
  await page.keyboard.press("k");
  await eventually(async () => assert.equal(await focused(page), "Three"));

  await page.keyboard.press("p"); // opens the card first
  await page.getByRole("option", { name: "High" }).click();
  await page.getByRole("combobox", { name: "Priority: High" }).waitFor();
  await page.getByRole("dialog", { name: "Three" }).focus();
  await page.keyboard.press("j");
  await opened(page, "Two").waitFor();
  await page.keyboard.press("a");
  await page.getByRole("option", { name: "Mel Acme" }).click();
  await page.getByRole("combobox", { name: "Assignee: Mel Acme" }).waitFor();
  await page.getByRole("dialog", { name: "Two" }).focus();
  await page.keyboard.press("l");
  await page
    .locator(":focus")
    .and(page.getByRole("combobox", { name: "Find or create a label" }))
    .waitFor();
  for (const label of ["flaky", "browser"]) {
    await page.keyboard.type(`${label}\n`);
    await page.getByRole("button", { name: `Remove the label ${label}` }).waitFor();
  }
  await page.getByRole("button", { name: "Remove the label browser" }).click();
  await page.getByText("set the labels to flaky").first().waitFor();
  await page.getByRole("dialog", { name: "Two" }).focus();
  await page.keyboard.press("e");
  await eventually(async () =>
    assert.equal(await page.getByRole("textbox", { name: "Description" }).inputValue(), "the story of Two"),
  );
  await page.locator("textarea:focus").waitFor();
  await page.keyboard.type("jk? "); // in a text field, shortcuts are letters
  await eventually(async () =>
    assert.equal(await page.getByRole("textbox", { name: "Description" }).inputValue(), "the story of Twojk? "),
  );
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByRole("dialog", { name: "Two" }).focus();
  await page.keyboard.press("r");
  await page.locator("textarea:focus").and(page.getByLabel("Write a comment")).waitFor();
  await page.keyboard.type("A comment");
  await eventually(async () => assert.equal(await page.getByLabel("Write a comment").inputValue(), "A comment"));
  await page.keyboard.press("Escape");
  await page.waitForURL(/\/boards\//);
  await eventually(async () => assert.equal(await focused(page), "Two"));

  await page.keyboard.press("m");
  await page.getByRole("menuitem", { name: "Doing" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("menuitem", { name: "Doing" }).waitFor({ state: "detached" });
  await page.keyboard.press("/");
  await eventually(async () =>
    assert.equal(await page.evaluate("document.activeElement.getAttribute('aria-label')"), "Filter by text"),
  );
  await page.getByRole("heading", { name: "Inbox" }).click();
  await page.keyboard.press("c");
  await page
    .locator("textarea:focus")
    .and(page.getByLabel(/^Title of the new card/))
    .waitFor();
  await page.keyboard.type("Card by key");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Card by key" }).waitFor();
  assert.deepEqual(problems, []);
});

test("on a narrow screen the menu opens once its script is loaded, and returns the focus", async () => {
  const { page, problems } = await openPage("/members");
  await page.setViewportSize({ width: 360, height: 740 });
  const held = Promise.withResolvers<void>();
  await page.route(/\/drawer-/, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.reload();
  const button = page.getByRole("button", { name: "Menu", exact: true });
  const menu = page.getByRole("dialog", { name: "Menu" });
  const asked = page.waitForRequest(/\/drawer-/);
  await button.press("Enter");
  await asked;
  held.resolve();
  await menu.waitFor();
  const person = page.getByRole("button", { name: /^Mel Acme/ });
  await person.press("Enter");
  await page.getByRole("menuitem", { name: "New organisation" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "New organisation" });
  await page.locator(":focus").and(dialog.getByLabel("Name")).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.locator(":focus").and(person).waitFor();
  await page.keyboard.press("Escape");
  await menu.waitFor({ state: "detached" });
  await page.locator(":focus").and(button).waitFor();
  await button.press("Enter");
  await menu.getByRole("link", { name: "Notifications" }).click();
  await menu.waitFor({ state: "detached" });
  await page.getByRole("heading", { name: "Notifications", exact: true }).waitFor();
  assert.deepEqual(problems, []);
});

test("? lists the keyboard shortcuts, and single-key shortcuts can be turned off", async () => {
  const { page, problems } = await openPage(`/boards/${board?.id}`);
  await page.getByText("Three").waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).getByText("Set the priority").waitFor();
  await page.getByRole("checkbox", { name: "Single-key shortcuts" }).uncheck();
  await page.getByRole("dialog").locator(":focus").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.keyboard.press("c");
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog", { name: "Search" }).waitFor();
  assert.equal(await page.getByLabel("Title of the new card").count(), 0);
  assert.deepEqual(problems, []);
});
