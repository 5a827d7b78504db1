import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  createBoard,
  createTicket,
  deleteTicket,
  getTicket,
  moveTicket,
  viewBoard,
} from "@lodge/contract/calls.generated";
import type { Page } from "playwright-core";
import { signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { until } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const browser = stack.use(await startBrowser());
const { acme } = await twoOrganisations(lodge);
const ada = await signedIn(lodge, "ada@acme.test");

/** A new board with a card, opened by Grace, an admin. */
async function openBoard() {
  const { id: boardId } = await ada.call(createBoard, {
    body: { projectId: acme.projects[0]?.id ?? "", name: "Board" },
  });
  const { columns } = await ada.call(viewBoard, { params: { boardId }, query: {} });
  const [todo = "", , done = ""] = columns.map(({ id }) => id);
  await ada.call(createTicket, { body: { columnId: todo, title: "Other" } });
  const { id: ticketId } = await ada.call(createTicket, { body: { columnId: todo, title: "Flaky" } });
  const { page, problems } = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(page, lodge, "grace@acme.test");
  await page.goto(`/boards/${boardId}`);
  await cardIn(page, "To do").waitFor();
  return { page, problems, ticketId, done };
}

const cardIn = (page: Page, column: string) =>
  page.getByRole("region", { name: column, exact: true }).getByRole("link", { name: "Flaky", exact: true });

test("a shortcut undoes changes of a card, latest first, but not while a text is edited", async () => {
  const { page, problems } = await openBoard();
  const undone: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH" && request.url().endsWith("/tickets")) undone.push(request.url());
  });
  await page.getByRole("button", { name: "Move Flaky", exact: true }).click();
  await page.getByRole("menuitem", { name: "Doing", exact: true }).click();
  await page.getByText("Moved to Doing", { exact: true }).waitFor();
  await cardIn(page, "Doing").click();
  await page.getByRole("combobox", { name: "Priority: No priority" }).click();
  await page.getByRole("option", { name: "High", exact: true }).click();
  await page.getByText("Priority changed", { exact: true }).waitFor();
  const message = page.locator("section[aria-label=Messages] div").filter({ hasText: "Priority changed" }).first();
  await message.getByRole("button", { name: "Dismiss" }).dispatchEvent("click");
  await page.getByText("Priority changed", { exact: true }).waitFor({ state: "detached" });

  const comment = page.getByRole("textbox", { name: "Write a comment" });
  await comment.fill("Look");
  await comment.press("ControlOrMeta+z");
  await page.getByRole("button", { name: "Close card" }).focus();
  await page.keyboard.press("ControlOrMeta+z");
  await page.getByRole("combobox", { name: "Priority: No priority" }).waitFor();
  assert.equal(undone.length, 1, "the first shortcut only undid the text in the field");
  await page.keyboard.press("ControlOrMeta+z");
  await cardIn(page, "To do").waitFor();
  assert.deepEqual(problems, []);
});

test("an undo keeps what somebody else has changed since, and says so", async () => {
  const { page, problems, ticketId, done } = await openBoard();
  await page.getByRole("button", { name: "Move Flaky", exact: true }).click();
  await page.getByRole("menuitem", { name: "Doing", exact: true }).click();
  const message = page.locator("section[aria-label=Messages] div").filter({ hasText: "Moved to Doing" }).first();
  await message.waitFor();
  await ada.call(moveTicket, { params: { ticketId }, body: { columnId: done, belowTicketId: null } });
  await cardIn(page, "Done").waitFor();
  await page.keyboard.press("ControlOrMeta+z");
  await page.getByText("Not undone. Somebody has changed the card since.", { exact: true }).waitFor();
  assert.equal((await ada.call(getTicket, { params: { ticketId } })).column.name, "Done");
  assert.deepEqual(
    problems.filter((problem) => !problem.includes("412")),
    [],
  );
});

test("a card that is deleted while somebody writes on it keeps the text and can be restored", async () => {
  const { page, ticketId } = await openBoard();
  await cardIn(page, "To do").click();
  const comment = page.getByRole("textbox", { name: "Write a comment" });
  await comment.fill("What I found out");
  await ada.call(deleteTicket, { params: { ticketId } });
  await page.getByRole("alert").getByText("Ada Acme deleted this card.").waitFor();
  await page.getByRole("link", { name: "Other", exact: true }).waitFor();
  const isKept = () => until(async () => (await comment.inputValue()) === "What I found out");
  await isKept();
  await page.getByRole("button", { name: "Restore", exact: true }).click();
  await page.getByText("Ada Acme deleted this card.").waitFor({ state: "detached" });
  await cardIn(page, "To do").waitFor();
  await isKept();
});

test("a deleted card is restored by Undo or from the trash, where an admin deletes it permanently", async () => {
  const { page, problems } = await openBoard();
  const remove = async () => {
    await page.getByRole("button", { name: "Move Flaky", exact: true }).click();
    await page.getByRole("menuitem", { name: "Delete", exact: true }).click();
    await page.getByRole("button", { name: "Delete 1 card", exact: true }).click();
    await cardIn(page, "To do").waitFor({ state: "detached" });
  };
  const openTrash = async () => {
    await page.getByRole("button", { name: "Actions for this board" }).click();
    await page.getByRole("menuitem", { name: "Trash", exact: true }).click();
  };
  await remove();
  await page.getByRole("button", { name: "Undo", exact: true }).dispatchEvent("click");
  await cardIn(page, "To do").waitFor();
  await remove();
  await openTrash();
  await page.getByRole("button", { name: "Restore Flaky", exact: true }).click();
  await page.getByText("The trash is empty.").waitFor();
  await page.keyboard.press("Escape");
  await cardIn(page, "To do").waitFor();
  await remove();
  await openTrash();
  await page.getByRole("button", { name: "Delete Flaky permanently", exact: true }).click();
  await page.getByRole("button", { name: "Delete permanently", exact: true }).click();
  await page.getByText("The trash is empty.").waitFor();
  assert.deepEqual(problems, []);
});
