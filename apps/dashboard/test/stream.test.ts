import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page } from "playwright-core";
import { twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { until } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";

/** A page opened by Mel, with a board of one card. Calls `prepare` with the page before it loads. */
async function openBoard(prepare: (page: Page, boardId: string) => unknown = () => {}) {
  await using started = new AsyncDisposableStack();
  const lodge = started.use(await startService());
  const browser = started.use(await startBrowser());
  const { acme } = await twoOrganisations(lodge);
  const file = (title: string) => lodge.fileTicket(acme.tokens[0]?.secret, { title });
  const boardId = String((await file("First")).body.boardId);
  const { page } = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(page, lodge, "mel@acme.test");
  await prepare(page, boardId);
  await page.goto(`/boards/${boardId}`);
  await page.getByRole("link", { name: "First" }).waitFor();
  const all = started.move();
  return { lodge, acme, page, boardId, file, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** Runs in a page. Timers of `ms` wait for `proceed()`; timers of `soonMs` that ran are counted in `soon`. */
const holdBack = (ms: number, soonMs: number) => `{
  Math.random = () => 0.95; // makes a random delay of up to 2 s take 1.9 s
  const wait = setTimeout;
  globalThis.held = [];
  globalThis.soon = 0;
  globalThis.proceed = () => held.splice(0).forEach((act) => act());
  globalThis.setTimeout = (act, ms, ...values) => {
    if (ms === ${ms}) return held.push(act), 0;
    return wait(() => { act(...values); if (ms === ${soonMs}) soon++; }, ms);
  };
}`;

test("a page that waits before it fetches everything keeps waiting when another event arrives", async () => {
  await using opened = await openBoard((page) => page.addInitScript(holdBack(1_900, 100)));
  const { lodge, acme, page, boardId, file } = opened;
  await file("Heard");
  await page.getByRole("link", { name: "Heard" }).waitFor();
  let fetched = 0;
  page.on("request", (request) => {
    if (request.url().endsWith(`/boards/${boardId}`)) fetched++;
  });
  const tell = (news: object) => lodge.deps.pool.query("select pg_notify('lodge_live', $1)", [JSON.stringify(news)]);
  await tell({ id: "gap", missed: true });
  await until(() => page.evaluate("held.length === 1"));
  const before = Number(await page.evaluate("soon"));
  await tell({
    id: "inbox",
    organisationId: acme.organisation.id,
    change: { kind: "inbox.changed", appId: acme.organisation.id },
  });
  await until(async () => Number(await page.evaluate("soon")) > before);
  assert.equal(fetched, 0);
  await page.evaluate("proceed()");
  await until(() => fetched > 0);
});

test("a page whose session has no position fetches everything once, not after each reconnection", async () => {
  await using opened = await openBoard(async (page) => {
    await page.addInitScript(holdBack(1_900, 100));
    await page.route("**/api/dashboard/session", async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, json: { ...((await response.json()) as object), livePosition: null } });
    });
  });
  const { page, boardId, file } = opened;
  const { pool } = opened.lodge.deps;
  await until(() => page.evaluate("held.length === 1")); // once its stream is open
  const fetched = page.waitForRequest((request) => request.url().endsWith(`/boards/${boardId}`));
  await page.evaluate("proceed()");
  await fetched;
  const reconnected = page.waitForRequest(/\/api\/dashboard\/events/);
  const { rows } = await pool.query<{ id: string }>("select id from sessions");
  for (const { id } of rows) {
    await pool.query("select pg_notify('lodge_live', $1)", [JSON.stringify({ id: `end ${id}`, endedSessionId: id })]);
  }
  await reconnected;
  await file("Heard"); // after everything that the page does when it connects
  await page.getByRole("link", { name: "Heard" }).waitFor();
  assert.equal(await page.evaluate("held.length"), 0);
});

test("while a card is not found, no board is marked as open", async () => {
  await using opened = await openBoard();
  const { page } = opened;
  await page.evaluate("history.pushState({}, '', '/tickets/00000000-0000-7000-8000-000000000000')");
  await page.getByRole("heading", { name: "There is no such card" }).waitFor();
  const marked = page.getByRole("navigation").locator("a[aria-current=page]");
  await until(async () => (await marked.count()) === 0);
});
