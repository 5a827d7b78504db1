import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { getTicket, listCards, listComments } from "@lodge/contract/calls.generated";
import type { Page } from "playwright-core";
import { signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { type Service, startService } from "../../server/src/testing/start-service.ts";
import { until } from "../../server/src/testing/until.ts";
import { openAs, startBrowser, type TestBrowser } from "./browser.ts";

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
  const ada = await signedIn(lodge, "ada@acme.test");
  const file = async (title: string, columnId: string, description = "") =>
    String((await ada("POST", "/tickets", { title, columnId, description })).body.id);
  const titlesOf = async (columnId: string) =>
    (await ada.call(listCards, { params: { columnId }, query: {} })).cards.map(({ title }) => title);
  return { id: inbox?.id ?? "", backlog, doing, done, ada, file, titlesOf };
}

async function open(path: string, options = {}) {
  const { page } = await browser.open(lodge.url, options);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto(path);
  return page;
}

/** Aborts requests that change something or check for the server. Returns a function that lets them through. */
async function cutOff(page: Page) {
  const isCut = (method: string, path: string) => method === "HEAD" || (method !== "GET" && path.includes("/tickets"));
  await page.route("**/*", (route) => {
    const request = route.request();
    return isCut(request.method(), new URL(request.url()).pathname) ? route.abort() : route.fallback();
  });
  return () => page.unrouteAll();
}

/** Clicks a button that the page may remove, because it keeps checking for the server. */
const pressIfThere = (page: Page, text: string) =>
  page.evaluate(
    `[...document.querySelectorAll("button")].find((button) => button.textContent === ${JSON.stringify(text)})?.click()`,
  );

async function addCard(page: Page, column: string, title: string) {
  await page.getByRole("button", { name: `New card in ${column}` }).click();
  await page.getByLabel(`Title of the new card in ${column}`).fill(title);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: column }).getByText(title).waitFor();
}

test("cards, moves and comments made offline survive a reload and are sent once, in order", async () => {
  const { id, backlog, doing, ada, file, titlesOf } = board;
  const ticketId = await file("Moved", backlog);
  const page = await open(`/boards/${id}`);
  await page.getByRole("link", { name: "Moved" }).waitFor();
  const letThrough = await cutOff(page);
  await addCard(page, "Doing", "First");
  await addCard(page, "Doing", "Second");
  await page.keyboard.press("Escape");
  await page.getByRole("link", { name: "Moved" }).focus();
  for (const key of ["Space", "ArrowRight", "Space"]) await page.keyboard.press(key);
  await page.getByText("3 changes are waiting to be sent.").waitFor();
  await page.goto(`/tickets/${ticketId}`);
  await page.getByLabel("Write a comment").fill("Also later");
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.getByText("4 changes are waiting to be sent.").waitFor();
  assert.deepEqual(await titlesOf(doing), [], "the server has none of the changes");

  await letThrough();
  await pressIfThere(page, "Retry");
  await page.getByText("Mel Acme", { exact: true }).and(page.locator("[id^=comment-] *")).waitFor();
  assert.deepEqual(await titlesOf(doing), ["Moved", "Second", "First"]);
  const { comments } = await ada.call(listComments, { params: { ticketId } });
  assert.deepEqual(
    comments.map(({ text }) => text),
    ["Also later"],
  );
});

test("a card whose response was lost is created once", async () => {
  const { id, done, titlesOf } = board;
  const page = await open(`/boards/${id}`);
  let sent = 0;
  await page.route(/\/api\/dashboard\/tickets$/, async (route) => {
    sent++;
    if (sent > 1) return route.continue();
    await route.fetch(); // the server files the card
    await route.abort();
  });
  await addCard(page, "Done", "Only once");
  await page.getByRole("link", { name: "Only once" }).waitFor();
  await until(async () => sent === 2);
  assert.deepEqual(await titlesOf(done), ["Only once"]);
});

test("a page whose script fails to load leaves the app usable, and opens once the script loads", async () => {
  const { page } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.route(/projects-page/, (route) => route.abort());
  await page.route("**/*", (route) => (route.request().method() === "HEAD" ? route.abort() : route.fallback()));
  await page.goto(`/boards/${board.id}`);
  await page.getByRole("link", { name: "Projects and boards" }).click();
  await page.getByRole("heading", { name: "This page is not loaded yet" }).waitFor();
  await page.getByText("Lodge cannot be reached since").waitFor();
  await page.unrouteAll();
  await pressIfThere(page, "Try again");
  await page.getByRole("heading", { name: "Projects and boards" }).waitFor();
});

test("a description that cannot be saved stays in its editor, and a title's error disappears once it is saved", async () => {
  const { backlog, ada, file } = board;
  const ticketId = await file("Wrong", backlog, "Before");
  const page = await open(`/tickets/${ticketId}`, { viewport: { width: 360, height: 740 } });
  const letThrough = await cutOff(page);
  await page.getByLabel("Title").fill("Right");
  await page.keyboard.press("Enter");
  const failed = page.getByText("Could not save the change.");
  await failed.waitFor();
  const comment = page.getByRole("button", { name: "Comment", exact: true });
  await until(async () => {
    const [message, button] = [await failed.boundingBox(), await comment.boundingBox()];
    return message !== null && button !== null && message.y + message.height < button.y;
  });
  await page.getByRole("button", { name: "Edit the description" }).click();
  const editor = page.getByRole("textbox", { name: "Description" });
  await editor.fill("After");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("alert").getByText("Lodge cannot be reached.").waitFor();
  await letThrough();
  await page.getByRole("region", { name: "Description" }).getByRole("button", { name: "Retry", exact: true }).click();
  await page.getByRole("button", { name: "Edit the description" }).waitFor();
  await page.getByRole("button", { name: "Save your title" }).click();
  await failed.waitFor({ state: "detached" });
  assert.equal((await ada.call(getTicket, { params: { ticketId } })).description, "After");
});
