import assert from "node:assert/strict";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import {
  changeTicket,
  createBoard,
  createTicket,
  listCards,
  listImports,
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

/** A new board with two cards, and its CSV dialog, opened by Mel. */
async function openDialog(query = "") {
  const { id: boardId } = await ada.call(createBoard, {
    body: { projectId: acme.projects[0]?.id ?? "", name: "Plans" },
  });
  const { columns } = await ada.call(viewBoard, { params: { boardId }, query: {} });
  const todo = columns[0]?.id ?? "";
  await ada.call(createTicket, { body: { columnId: todo, title: "Plain" } });
  await ada.call(createTicket, { body: { columnId: todo, title: "=Urgent", priority: "high" } });
  const { page, problems } = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(page, lodge, "mel@acme.test");
  await page.goto(`/boards/${boardId}${query}`);
  await page.getByRole("link", { name: "=Urgent", exact: true }).waitFor();
  const open = async () => {
    await page.getByRole("button", { name: "Actions for this board" }).click();
    await page.getByRole("menuitem", { name: "Import or export CSV" }).click();
    await page.getByRole("heading", { name: "Import and export" }).waitFor();
  };
  await open();
  const titles = async () =>
    (await ada.call(listCards, { params: { columnId: todo }, query: {} })).cards.map(({ title }) => title);
  const imports = async () => (await ada.call(listImports, { params: { boardId } })).imports;
  return { page, problems, boardId, open, titles, imports };
}

const choose = (page: Page, csv: string, name = "plan.csv") =>
  page.getByLabel("CSV file").setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(csv) });

const link = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

async function download(page: Page, name: string) {
  const downloading = page.waitForEvent("download");
  await link(page, name).click();
  const file = await downloading;
  return { name: file.suggestedFilename(), lines: (await text(await file.createReadStream())).trim().split("\r\n") };
}

test("a board is exported as CSV, with all cards or only the filtered ones", async () => {
  const { page, problems } = await openDialog("?priority=high");
  const all = await download(page, "Export all cards");
  assert.deepEqual([all.name, all.lines.length], ["Plans.csv", 3]);
  const shown = await download(page, "Export filtered cards");
  assert.equal(shown.lines.length, 2);
  assert.match(shown.lines[1] ?? "", /^[^,]*,'=Urgent,,To do,high,/);
  assert.deepEqual(problems, []);
});

test("a CSV file is previewed, its columns are mapped, and the import is undone as a whole", async () => {
  const { page, problems, titles, imports, open } = await openDialog();
  const csv = "Headline,Status,Assignee,Labels\nShip it,Doing?,Zoe,new one\nSell it,To do,mel@acme.test,\n";
  await choose(page, csv);
  await page.getByText("No column is mapped to the title.").waitFor();
  const submit = page.getByRole("button", { name: "Import 2 cards" });
  assert.equal(await submit.isDisabled(), true);
  await page.getByText("Ship it · Sell it").waitFor();
  await page.getByRole("combobox", { name: "Import Headline as: Skip" }).click();
  await page.getByRole("option", { name: "Title", exact: true }).click();
  await page.getByText("No column is mapped to the title.").waitFor({ state: "detached" });
  await page.getByText("The board Plans does not have these columns: Doing?.").waitFor();
  await page.getByText("These assignees are not members: Zoe.").waitFor();
  await page.getByRole("combobox", { name: "Cards in these columns: Add to To do" }).click();
  await page.getByRole("option", { name: "Do not import the file" }).click();
  await page.getByText("Line 2: The board has no column “Doing?”.").waitFor();
  await page.getByRole("combobox", { name: "Cards in these columns: Do not import the file" }).click();
  await page.getByRole("option", { name: "Add to To do" }).click();
  await page.getByText("Line 2: The board has no column “Doing?”.").waitFor({ state: "detached" });
  await page.getByRole("combobox", { name: "New labels: Create them" }).waitFor();
  await submit.click();
  await page.getByText("These assignees are not members, so their cards have no assignee: Zoe.").waitFor();
  await page.getByRole("dialog").getByText("2 cards imported.").waitFor();
  await page.locator("a", { hasText: "Ship it" }).first().waitFor();
  assert.deepEqual(await titles(), ["Ship it", "Sell it", "=Urgent", "Plain"]);

  await page.getByRole("button", { name: "Undo import", exact: true }).click();
  await page.getByRole("dialog").getByText("Undone. 2 cards moved to the trash.").waitFor();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await link(page, "Ship it").waitFor({ state: "detached" });
  assert.deepEqual(await titles(), ["=Urgent", "Plain"]);
  assert.equal((await imports()).length, 1);
  await open();
  await page.getByText("Undone. 2 cards moved to the trash.").first().waitFor();
  assert.deepEqual(problems, []);
});

test("an import undone from the list names the cards that it keeps", async () => {
  const { page, problems, titles, open } = await openDialog();
  await choose(page, "title\nGoes\nStays\n", "list.csv");
  await page.getByRole("button", { name: "Import 2 cards" }).click();
  await page.getByRole("button", { name: "Done", exact: true }).click();
  await link(page, "Stays").waitFor();
  const ticketId = (await link(page, "Stays").getAttribute("href"))?.split("/").at(-1)?.split("?")[0] ?? "";
  await ada.call(changeTicket, { params: { ticketId }, body: { priority: "high" } });
  await open();
  await page.getByRole("button", { name: "Undo the import of list.csv" }).click();
  await page.getByText("Undo moves the cards to the trash, except cards that somebody has changed since.").waitFor();
  await page.getByRole("alertdialog").getByRole("button", { name: "Undo import" }).click();
  await page
    .getByRole("region", { name: /^Imports of the last/ })
    .getByText("Undone. 1 card moved to the trash. Kept, because they were changed: “Stays”.")
    .waitFor();
  assert.deepEqual(await titles(), ["Stays", "=Urgent", "Plain"]);
  assert.deepEqual(problems, []);
});

test("an import that is sent again after a lost response runs only once", async () => {
  const { page, titles, imports } = await openDialog();
  await choose(page, "title\nOnce\n");
  await page.getByRole("button", { name: "Import 1 card" }).waitFor();
  let sent = 0;
  await page.route(/\/imports\?/, async (route) => {
    sent++;
    if (sent > 1) return route.continue();
    await route.fetch();
    return route.abort("connectionreset");
  });
  await page.getByRole("button", { name: "Import 1 card" }).click();
  await page.getByText("Lodge cannot be reached").first().waitFor();
  await until(async () => (await imports()).length === 1);
  await page.getByRole("button", { name: "Import 1 card" }).click();
  await page.getByRole("dialog").getByText("1 card imported.").waitFor();
  assert.deepEqual(await titles(), ["Once", "=Urgent", "Plain"]);
  assert.equal((await imports()).length, 1);
});

test("an invalid file is refused with the line of the error, and another file can be chosen", async () => {
  const { page } = await openDialog();
  await choose(page, 'title\nx\n"y\n');
  await page.getByText(/^Line \d: A quote that opens here/).waitFor();
  await page.getByRole("button", { name: "Choose another file" }).click();
  await page.getByRole("heading", { name: "Import and export" }).waitFor();
  await choose(page, "title\nx\n");
  await page.getByRole("button", { name: "Import 1 card" }).waitFor();
});
