import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { freePort } from "../../server/src/testing/free-port.ts";
import { type Service, startService } from "../../server/src/testing/start-service.ts";
import { eventually } from "../../server/src/testing/until.ts";
import { openAs, startBrowser, type TestBrowser } from "./browser.ts";
import { hold } from "./hold.ts";

let browser: TestBrowser;
let lodge: Service;
let board: Awaited<ReturnType<typeof makeBoard>>;
before(async () => {
  browser = await startBrowser();
  lodge = await startService();
  board = await makeBoard();
});
after(async () => {
  await lodge[Symbol.asyncDispose]();
  await browser[Symbol.asyncDispose]();
});

async function makeBoard() {
  const { acme } = await twoOrganisations(lodge);
  const [inbox] = acme.projects[0]?.boards ?? [];
  const [backlog = "", doing = "", done = ""] = inbox?.columns.map(({ id }) => id) ?? [];
  return { id: inbox?.id ?? "", backlog, doing, done, ada: await signedIn(lodge, "ada@acme.test") };
}

/** Opens the board after filing these cards into Backlog, the last one on top. */
async function openBoard(titles: string[], url = lodge.url) {
  const ids = [];
  for (const title of titles) {
    ids.push(String((await board.ada("POST", "/tickets", { columnId: board.backlog, title })).body.id));
  }
  const { page, problems } = await browser.open(url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto(`/boards/${board.id}`);
  await page.getByRole("heading", { name: "Backlog" }).waitFor();
  return { page, problems, ids };
}

const column = (page: Page, name: string) => page.getByRole("region", { name });
const titleField = (page: Page, name: string) => page.getByLabel(`Title of the new card in ${name}`);

/** Opens the new-card form of a column, and waits until it has the focus. */
async function beginCard(page: Page, name: string) {
  await page.getByRole("button", { name: `New card in ${name}` }).click();
  await page.locator(":focus").and(titleField(page, name)).waitFor();
}

const says = (field: Locator, text: string) => eventually(async () => assert.equal(await field.inputValue(), text));

/** Holds back requests for new cards. They all fail when the returned function is called. */
async function refuseNewCards(page: Page) {
  const { promise: refused, resolve: refuse } = Promise.withResolvers<void>();
  await page.route(/\/api\/dashboard\/tickets$/, async (route) => {
    await refused;
    await route.fulfill({ status: 500, json: { error: "internal_error" } });
  });
  return refuse;
}

test("a new card shows before the server responds, and stays", async () => {
  const { page, problems } = await openBoard([]);
  const doing = column(page, "Doing");
  const filing = await hold(page, "POST", /\/api\/dashboard\/tickets$/);
  await beginCard(page, "Doing");
  await page.keyboard.type("Written on a train\n");
  await filing.asked;
  await doing.locator("li", { hasText: "Written on a train" }).waitFor();
  await doing.locator("ul").evaluate((list) => {
    const page = globalThis as unknown as {
      missing: number;
      MutationObserver: new (f: () => void) => { observe: (...a: unknown[]) => void };
    };
    page.missing = 0;
    new page.MutationObserver(() => {
      const shown = (list as unknown as { textContent: string }).textContent.split("Written on a train").length - 1;
      if (shown !== 1) page.missing++;
    }).observe(list, { childList: true, subtree: true });
  });
  filing.release();
  await doing.getByRole("link", { name: "Written on a train" }).waitFor();
  assert.equal(await page.evaluate("missing"), 0, "the card was shown exactly once at every moment");
  assert.deepEqual(problems, []);
});

test("the draft of a new card is kept in other columns and after a reload until it is discarded", async () => {
  const { page } = await openBoard([]);
  await beginCard(page, "Doing");
  await page.keyboard.type("Half a thought");
  await beginCard(page, "Done");
  await says(titleField(page, "Done"), "Half a thought");
  await page.keyboard.press("Escape");
  await eventually(async () =>
    assert.equal(await page.evaluate("document.activeElement.getAttribute('aria-label')"), "New card in Done"),
  );
  await page.reload();
  await beginCard(page, "Backlog");
  await says(titleField(page, "Backlog"), "Half a thought");
  await page.getByRole("button", { name: "Discard" }).click();
  await titleField(page, "Backlog").waitFor({ state: "detached" });
  await beginCard(page, "Backlog");
  await says(titleField(page, "Backlog"), "");
});

test("cards that could not be filed return to the form one by one, after the card being written", async () => {
  const { page } = await openBoard([]);
  const doing = column(page, "Doing");
  const field = titleField(page, "Doing");
  const refuse = await refuseNewCards(page);
  await beginCard(page, "Doing");
  await page.keyboard.type("First one\nSecond one\nThird one");
  refuse();
  for (const title of ["First one", "Second one"]) await page.getByText(`“${title}” was not created`).waitFor();
  await says(field, "Third one");
  await page.keyboard.press("Escape");
  await field.waitFor({ state: "detached" });
  await page.unrouteAll();
  await page.reload();
  await beginCard(page, "Doing");
  for (const title of ["Third one", "First one", "Second one"]) {
    await says(field, title);
    await page.keyboard.press("Enter");
    await doing.getByRole("link", { name: title }).waitFor();
  }
  await says(field, "");
});

test("a card that could not be filed shows an error even if its form was closed", async () => {
  const { page } = await openBoard([]);
  const refuse = await refuseNewCards(page);
  await beginCard(page, "Doing");
  await page.keyboard.type("Left alone\n");
  await page.keyboard.press("Escape");
  refuse();
  await page.getByText("“Left alone” was not created").waitFor();
  await beginCard(page, "Done");
  await says(titleField(page, "Done"), "Left alone");
});

test("a title that is too long or invisible is not filed", async () => {
  const { page } = await openBoard([]);
  await beginCard(page, "Done");
  const field = titleField(page, "Done");
  const add = page.getByRole("button", { name: "Add card", disabled: true });
  await field.fill("\u200b\u2060");
  await add.waitFor();
  await field.fill("😀".repeat(201));
  await page.getByText("201 characters, but at most 200 are allowed.").waitFor();
  await add.waitFor();
  await field.fill("😀".repeat(200));
  await page.keyboard.press("Enter");
  await column(page, "Done")
    .getByRole("link", { name: "😀".repeat(200) })
    .waitFor();
});

test("a new card that the filter hides says so, and can be shown", async () => {
  const { page } = await openBoard(["Something urgent"]);
  await page.goto(`/boards/${board.id}?priority=high`);
  await beginCard(page, "Done");
  await page.keyboard.type("Not urgent\n");
  await page.getByRole("status").getByText("“Not urgent” was added, but the current filter hides it.").waitFor();
  await page.getByRole("link", { name: "Show all cards" }).click();
  await column(page, "Done").getByRole("link", { name: "Not urgent" }).waitFor();
  await page.getByText("the current filter hides it").waitFor({ state: "detached" });
});

test("a card that is moved again before its first move is saved ends where it was moved last", async () => {
  const { page, ids } = await openBoard(["Restless"]);
  const moving = await hold(page, "POST", /\/move$/);
  const moved = page.waitForResponse(/\/move$/);
  await page.getByRole("button", { name: "Move Restless" }).click();
  await page.getByRole("menuitem", { name: "Doing", exact: true }).click();
  await moving.asked;
  const card = column(page, "Doing").getByRole("link", { name: "Restless" });
  await card.focus();
  await page.keyboard.press("x");
  await page.getByRole("toolbar").getByRole("button", { name: "Move" }).click();
  await page.getByRole("menuitem", { name: "Done", exact: true }).click();
  moving.release();
  await moved;
  await page.getByText("1 card moved to Done").waitFor();
  await eventually(async () => assert.equal((await board.ada("GET", `/tickets/${ids[0]}`)).body.columnId, board.done));
});

test("a card that is picked up by keyboard stays below its neighbour while new cards arrive", async () => {
  const { page, problems, ids } = await openBoard(["Third", "Second", "First"]);
  const shows = (...titles: string[]) =>
    eventually(async () => {
      const shown = await column(page, "Backlog").locator("li a").allTextContents();
      assert.deepEqual(shown.slice(0, titles.length), titles);
    });
  await page.getByRole("link", { name: "First", exact: true }).focus();
  await page.keyboard.press("Space");
  await board.ada("POST", "/tickets", { columnId: board.backlog, title: "In between" });
  await page.getByRole("link", { name: "In between" }).waitFor();
  await shows("In between", "First"); // the card was only picked up, so it has not moved
  await page.keyboard.press("ArrowDown");
  await board.ada("POST", "/tickets", { columnId: board.backlog, title: "And another" });
  await page.getByRole("link", { name: "And another" }).waitFor();
  await shows("And another", "In between", "Second", "First", "Third");
  const moved = page.waitForResponse((response) => response.url().endsWith(`${ids[2]}/move`));
  await page.keyboard.press("Space");
  assert.equal((await moved).request().postDataJSON().belowTicketId, ids[1]);
  await shows("And another", "In between", "Second", "First", "Third");
  assert.deepEqual(problems, []);
});

test("when the server is down, the page says so, keeps its data, and catches up afterwards", async () => {
  const port = String(await freePort());
  const web = await startService({ ...lodge.env, PORT: port });
  const { page, ids } = await openBoard(["Stays"], web.url);
  const card = page.getByRole("link", { name: "Stays" });
  await card.waitFor();
  await web[Symbol.asyncDispose]();
  await page.getByRole("status").getByText("Lodge cannot be reached").waitFor();
  await card.click();
  await page.waitForURL(new RegExp(ids[0] ?? ""));
  await page.getByText("This could not be loaded").waitFor();
  const cards = page.locator("[data-card]"); // behind the open card
  await cards.getByText("Stays").waitFor();
  await board.ada("POST", "/tickets", { columnId: board.doing, title: "Missed" });
  await using _again = await startService({ ...lodge.env, PORT: port });
  await cards.getByText("Missed").waitFor();
  await page.getByText("Lodge cannot be reached").first().waitFor({ state: "detached" });
});
