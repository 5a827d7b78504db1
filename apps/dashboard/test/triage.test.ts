import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createBoard, createTicket, viewBoard } from "@lodge/contract/calls.generated";
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
const projectId = acme.projects[0]?.id ?? "";
const mel = await signedIn(lodge, "mel@acme.test");

async function makeBoard() {
  const { id: boardId } = await mel.call(createBoard, { body: { projectId, name: "Board" } });
  const { columns } = await mel.call(viewBoard, { params: { boardId }, query: {} });
  return { boardId, columnIds: columns.map(({ id }) => id) };
}

async function openPage(email: string, path: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, email);
  await opened.page.goto(path);
  return opened;
}

const column = (page: Page, name: string) => page.getByRole("region", { name });
const shows = (page: Page, name: string, titles: string) =>
  until(async () => {
    const shown = await column(page, name).locator("li a").allTextContents();
    return shown.slice(0, titles.split(" ").length).join(" ") === titles;
  });

test("sorting, collapsing and compact cards apply to this device, and sorting includes cards beyond the first page", async () => {
  const { boardId, columnIds } = await makeBoard();
  const [columnId = "", doing = ""] = columnIds;
  const file = (title: string, priority: "none" | "low" | "high", dueAt: string | null = null) =>
    mel.call(createTicket, { body: { columnId, title, priority, dueAt } });
  await file("Urgent", "high");
  await file("Soon", "low", "2026-01-01");
  for (let number = 1; number <= 50; number++) await file(`Card-${number}`, "none");
  await mel.call(createTicket, { body: { columnId: doing, title: "Hidden" } });
  const { page, problems } = await openPage("mel@acme.test", `/boards/${boardId}`);
  await shows(page, "To do", "Card-50 Card-49");
  const sortBy = async (name: string) => {
    await page.getByRole("button", { name: "Actions for the column To do" }).click();
    await page.getByRole("menuitemradio", { name, exact: true }).click();
  };
  await sortBy("Due date");
  await shows(page, "To do", "Soon Card-50");
  await sortBy("Priority");
  await shows(page, "To do", "Urgent Soon Card-50");
  await file("More-urgent", "high");
  await shows(page, "To do", "More-urgent Urgent Soon Card-50");

  await page.getByRole("button", { name: "Actions for the column Doing" }).click();
  await page.getByRole("menuitem", { name: "Collapse" }).click();
  await page.getByRole("button", { name: "Expand Doing" }).waitFor();
  await page.getByRole("link", { name: "Urgent", exact: true }).focus();
  await page.keyboard.press("Space");
  await page.keyboard.press("ArrowRight"); // past the collapsed column
  await page.keyboard.press("Space");
  await shows(page, "Done", "Urgent");
  await page.getByRole("button", { name: "Actions for this board" }).click();
  await page.getByRole("menuitem", { name: "Show compact cards" }).click();
  await page.locator("html[data-density=compact]").waitFor();

  await until(async () => {
    const { columns } = await mel.call(viewBoard, { params: { boardId }, query: {} });
    return columns[2]?.cards[0]?.title === "Urgent";
  });
  await page.reload();
  await shows(page, "To do", "More-urgent Soon Card-50");
  await page.locator("html[data-density=compact]").waitFor();
  await page.getByRole("button", { name: "Expand Doing" }).click();
  await shows(page, "Doing", "Hidden");
  await sortBy("Manual order");
  await shows(page, "To do", "More-urgent Card-50 Card-49");
  assert.deepEqual(problems, []);
});

test("an admin renames, recolours and merges labels, and open boards show it immediately", async () => {
  const { boardId, columnIds } = await makeBoard();
  await mel.call(createTicket, { body: { columnId: columnIds[0] ?? "", title: "Of a bot", labels: ["flaky", "e2e"] } });
  const board = await openPage("mel@acme.test", `/boards/${boardId}`);
  const label = (name: string) => board.page.locator("[data-card]").getByText(name, { exact: true });
  await label("flaky").waitFor();
  const { page, problems } = await openPage("ada@acme.test", "/labels");
  await page.getByRole("button", { name: "Colour of flaky" }).click();
  await page.getByRole("menuitemradio", { name: "Pink" }).click();
  await board.page.locator("[data-card] .tone-pink").and(label("flaky")).waitFor();
  await page.getByRole("button", { name: "Actions for flaky" }).click();
  await page.getByRole("menuitem", { name: "Rename" }).click();
  await page.getByLabel("Name", { exact: true }).fill("unstable");
  await page.getByRole("button", { name: "Rename", exact: true }).click();
  await board.page.locator("[data-card] .tone-pink").and(label("unstable")).waitFor();
  await page.getByRole("button", { name: "Actions for e2e" }).click();
  await page.getByRole("menuitem", { name: "Merge into another label" }).click();
  await page.getByRole("button", { name: "Merge into: Choose a label" }).click();
  await page.getByRole("option", { name: "unstable" }).click();
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await label("e2e").waitFor({ state: "detached" });
  await label("unstable").waitFor();
  assert.deepEqual([...problems, ...board.problems], []);
});
