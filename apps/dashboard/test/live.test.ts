import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { password, signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { type Service, startService } from "../../server/src/testing/start-service.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { openAs, signInOn, startBrowser, type TestBrowser } from "./browser.ts";

let browser: TestBrowser;
before(async () => {
  browser = await startBrowser();
});
after(() => browser[Symbol.asyncDispose]());

const boardBytesMax = 40_000;

/** Acme's board Inbox with this many cards in Backlog, newest on top. */
async function makeBoard(lodge: Service, cards: number) {
  const { acme } = await twoOrganisations(lodge);
  // A page that opens before the server listens for changes refetches everything.
  await until(async () => (await lodge.deps.listening.positionSoon()) !== undefined);
  const [board] = acme.projects[0]?.boards ?? [];
  const [backlog = "", doing = "", done = ""] = board?.columns.map(({ id }) => id) ?? [];
  await lodge.deps.pool.query(
    `insert into tickets (organisation_id, column_id, position, title, author_name)
     select $1, $2, replace(uuidv7(make_interval(secs => n - 10000))::text, '-', ''), 'Card ' || n, 'Ada'
     from generate_series(1, $3::int) n`,
    [acme.organisation.id, backlog, cards],
  );
  return { boardId: board?.id ?? "", backlog, doing, done, ada: await signedIn(lodge, "ada@acme.test") };
}

/** Opens a board as Mel, and waits until it is complete. */
async function openBoard(page: Page, boardId: string) {
  await page.goto(`/boards/${boardId}`);
  await signInOn(page, "mel@acme.test", password);
  await settled(page);
}

const settled = async (page: Page) => {
  await page.getByRole("heading", { name: "Backlog" }).waitFor();
  await page.getByRole("region", { name: "Web" }).getByRole("link", { name: "Inbox" }).waitFor();
};

const column = (page: Page, name: string) => page.getByRole("region", { name });
const count = (page: Page, name: string) => column(page, name).locator("h2 + span");

/** Records the API requests of a page and the bytes received, once the page has fetched everything that it shows. */
async function watch(page: Page) {
  await page.evaluate("new Promise((done) => requestIdleCallback(done, { timeout: 10_000 }))");
  const network = await page.context().newCDPSession(page);
  await network.send("Network.enable");
  const names = new Map<string, string>();
  const bytes: number[] = [];
  network.on("Network.requestWillBeSent", ({ requestId, request }) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith("/api/")) names.set(requestId, `${request.method} ${pathname}`);
  });
  network.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (names.has(requestId)) bytes.push(encodedDataLength);
  });
  return {
    requests: () => [...names.values()].filter((name) => name !== "GET /api/dashboard/events"),
    bytes: () => bytes.reduce((sum, each) => sum + each, 0),
  };
}

/** Records whether a server misses events: on a busy machine it may lose the connection on which it listens. */
async function watchGaps({ deps }: Service) {
  let isMissed = false;
  const onGap = () => {
    isMissed = true;
  };
  await deps.listening.add({ onNotification: () => {}, onGap });
  return () => isMissed;
}

type Scrolled = { scrollTop: number; scrollHeight: number };

const scrollToEnd = (list: Locator) =>
  list.evaluate((element) => {
    const scrolled = element as unknown as Scrolled;
    scrolled.scrollTop = scrolled.scrollHeight;
  });

test("changes by others appear on the board without a request", async () => {
  await using lodge = await startService();
  const { boardId, backlog, doing, done, ada } = await makeBoard(lodge, 60);
  const { page, problems } = await browser.open(lodge.url, { viewport: { width: 1280, height: 2000 } });
  await openBoard(page, boardId);
  await column(page, "Backlog").getByText("Card 60", { exact: true }).waitFor();
  const { requests } = await watch(page);
  const isMissed = await watchGaps(lodge);

  const made = [];
  for (let number = 1; number <= 20; number++) {
    made.push((await ada("POST", "/tickets", { columnId: doing, title: `New ${number}` })).body.id);
  }
  await column(page, "Doing").getByText("New 20").waitFor();
  await ada("PATCH", `/tickets/${made[3]}`, { title: "Renamed", priority: "high" });
  await column(page, "Doing").getByText("Renamed").waitFor();
  await ada("POST", `/tickets/${made[3]}/move`, { columnId: done, belowTicketId: null });
  await column(page, "Done").getByText("Renamed").waitFor();
  await ada("POST", `/tickets/${made[5]}/move`, { columnId: doing, belowTicketId: made[9] });
  await column(page, "Doing").locator("li:nth-child(12)", { hasText: "New 6" }).waitFor();
  // Moves into the part of a column that is not loaded change only the count.
  const { rows } = await lodge.deps.pool.query<{ id: string }>("select id from tickets where title = 'Card 3'");
  await ada("POST", `/tickets/${made[7]}/move`, { columnId: backlog, belowTicketId: rows[0]?.id });
  await until(async () => (await count(page, "Backlog").innerText()).startsWith("61"));
  assert.equal(await column(page, "Backlog").getByText("New 8").count(), 0);
  await eventually(async () => assert.match(await count(page, "Doing").innerText(), /^18/));

  await page.getByRole("link", { name: "New 20" }).focus();
  await page.keyboard.press("Space");
  await page.getByText("Picked up New 20.").waitFor();
  for (const key of ["ArrowRight", "Space"]) await page.keyboard.press(key);
  await column(page, "Done").getByText("New 20").waitFor();
  await until(async () => (await count(page, "Done").innerText()).startsWith("2"));
  const moved = () => requests().filter((request) => request.endsWith("/move"));
  await until(() => Promise.resolve(moved().length === 1));
  await ada("POST", "/tickets", { columnId: doing, title: "The last" });
  await column(page, "Doing").getByText("The last").waitFor();
  const wanted = isMissed() ? requests() : moved(); // after a gap everything is refetched
  assert.deepEqual(requests(), wanted, "the page's own move causes one request, and changes by others cause none");
  assert.deepEqual(problems, []);
});

test("a board of 2,000 cards opens with 40 kB and no repeated request, even after it was scrolled", async () => {
  await using lodge = await startService();
  const { boardId } = await makeBoard(lodge, 2_000);
  const { page } = await browser.open(lodge.url);
  await openBoard(page, boardId);
  const backlog = column(page, "Backlog");
  await backlog.getByText("Card 2000", { exact: true }).waitFor();
  const list = backlog.locator("ul").locator("..");
  /** The laid-out cards, each with its position from the top. */
  const laidOutCards = () =>
    backlog
      .locator("li[data-card]")
      .evaluateAll((cards) => cards.map((card) => [card.ariaPosInSet, card.querySelector("a")?.textContent]));
  for (const loaded of [51, 101, 151]) {
    await scrollToEnd(list);
    await backlog.locator(`li[aria-posinset="${loaded}"]`).waitFor();
    const laidOut = await laidOutCards();
    assert.deepEqual(
      laidOut,
      laidOut.map(([place]) => [place, `Card ${2001 - Number(place)}`]),
      "each card is laid out once, in order",
    );
  }

  const { requests, bytes } = await watch(page);
  await page.reload();
  await settled(page);
  await backlog.getByText("Card 2000", { exact: true }).waitFor();
  const again = await signedIn(lodge, "ada@acme.test");
  await again("POST", `/boards/${boardId}/nothing`); // takes long enough for the page to send another request
  assert.deepEqual(requests().sort(), [...new Set(requests())].sort());
  assert.ok(requests().includes(`GET /api/dashboard/boards/${boardId}`));
  await until(() => bytes() > 1_000);
  assert.ok(bytes() < boardBytesMax, `${bytes()} bytes`);
});

test("after a gap in the stream, everything visible is fetched once, and missed changes show", async () => {
  await using lodge = await startService();
  const { boardId, doing, ada } = await makeBoard(lodge, 3);
  const { page } = await browser.open(lodge.url);
  await openBoard(page, boardId);
  await column(page, "Backlog").getByText("Card 3").waitFor();
  const { requests } = await watch(page);
  await lodge.deps.pool.query("select pg_notify('lodge_live', $1)", [JSON.stringify({ id: "gap", missed: true })]);
  await until(() => Promise.resolve(requests().includes(`GET /api/dashboard/boards/${boardId}`)));
  await ada("POST", "/tickets", { columnId: doing, title: "After the gap" });
  await column(page, "Doing").getByText("After the gap").waitFor();
  assert.deepEqual(requests().sort(), [...new Set(requests())].sort());
});

test("a board is fetched again after a refused refetch, and live updates continue", async () => {
  await using lodge = await startService();
  const { boardId, doing, ada } = await makeBoard(lodge, 3);
  const { page } = await browser.open(lodge.url);
  await openBoard(page, boardId);
  await column(page, "Backlog").getByText("Card 3").waitFor();
  await lodge.deps.pool.query("update tickets set title = replace(title, 'Card', 'Renamed')");
  const refused = Promise.withResolvers<void>();
  await page.route(
    `**/api/dashboard/boards/${boardId}`,
    async (route) => {
      await route.fulfill({
        status: 503,
        headers: { "retry-after": "1" },
        json: { error: "unavailable", message: "Too many others wait.", docs: "/docs/errors#unavailable" },
      });
      refused.resolve();
    },
    { times: 1 },
  );
  await lodge.deps.pool.query("select pg_notify('lodge_live', $1)", [JSON.stringify({ id: "gap", missed: true })]);
  await refused.promise;
  await ada("POST", "/tickets", { columnId: doing, title: "After the refusal" });
  await column(page, "Backlog").getByText("Renamed 3").waitFor();
  await column(page, "Doing").getByText("After the refusal").waitFor();
});

/** Acme, whose projects must stay invisible to others, and Mel, who is also a member of Umbra. */
async function makeSecret(lodge: Service) {
  const { acme, umbra } = await twoOrganisations(lodge);
  const { pool } = lodge.deps;
  await pool.query("update projects set name = 'Secret of Acme' where organisation_id = $1 and slug = 'web'", [
    acme.organisation.id,
  ]);
  await pool.query("update projects set name = 'Web of Umbra' where organisation_id = $1 and slug = 'web'", [
    umbra.organisation.id,
  ]);
  await pool.query(
    "insert into members (organisation_id, user_id, role) select $1, id, 'member' from users where email = 'mel@acme.test'",
    [umbra.organisation.id],
  );
}

const secret = (page: Page) => page.getByRole("main").getByText("Secret of Acme");

/** Waits until a page shows Umbra's projects and nothing else. */
async function showsUmbra(page: Page) {
  await page.getByRole("main").getByText("Web of Umbra").waitFor();
  assert.equal(await page.getByText("Secret of Acme").count(), 0);
}

test("switching the organisation in one tab switches every tab, and shows nothing of the other one", async () => {
  await using lodge = await startService();
  await makeSecret(lodge);
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  const tab = await page.context().newPage();
  for (const each of [page, tab]) {
    await each.goto("/projects");
    await secret(each).waitFor();
  }
  await page.getByRole("button", { name: "Organisation: Acme" }).click();
  await page.getByRole("menuitem", { name: "Umbra" }).click();
  await tab.getByRole("button", { name: "Organisation: Umbra" }).waitFor();
  await showsUmbra(tab);
  assert.deepEqual(problems, []);
});

test("a background tab with a card of the other organisation switches only when it is focused", async () => {
  await using lodge = await startService();
  await makeSecret(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const { rows } = await lodge.deps.pool.query<{ id: string }>(
    `select columns.id from columns join organisations on organisations.id = columns.organisation_id
     where organisations.slug = 'acme' limit 1`,
  );
  const { body } = await ada("POST", "/tickets", { columnId: rows[0]?.id, title: "Card of Acme" });
  const { page, problems } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto("/projects");
  await secret(page).waitFor();
  const tab = await page.context().newPage();
  await tab.addInitScript("document.hasFocus = () => false");
  await tab.goto(`/tickets/${body.id}`);
  await tab.getByLabel("Title").waitFor();
  const place = tab.waitForResponse(`**/api/dashboard/tickets/${body.id}/place`);
  await page.getByRole("button", { name: "Organisation: Acme" }).click();
  await page.getByRole("menuitem", { name: "Umbra" }).click();
  await tab.getByRole("button", { name: "Organisation: Umbra" }).waitFor();
  await (await place).finished();
  await page.goto("/projects"); // the tab has its response by then
  await showsUmbra(page);
  await until(async () => {
    await tab.evaluate("dispatchEvent(new Event('focus'))"); // the tab may not listen yet
    return tab.getByLabel("Title").isVisible();
  });
  await page.getByRole("button", { name: "Organisation: Acme" }).waitFor();
  assert.deepEqual(problems, []);
});

test("the next person to sign in sees nothing of the previous one, in any tab", async () => {
  await using lodge = await startService();
  await makeSecret(lodge);
  const { page } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  const tab = await page.context().newPage();
  for (const each of [page, tab]) {
    await each.goto("/projects");
    await secret(each).waitFor();
  }
  const signOut = async (from: Page) => {
    await from.getByRole("button", { name: "Mel Acme account menu" }).click();
    await from.getByRole("menuitem", { name: "Sign out" }).click();
  };
  await tab.route("**/api/dashboard/session", (route) =>
    route.request().method() === "DELETE" ? route.abort() : route.fallback(),
  );
  await signOut(tab);
  const message = tab.getByText("You are still signed in.");
  await message.waitFor(); // the message stays until it is dismissed
  await signOut(page);
  await tab.getByRole("heading", { name: "Sign in to Lodge" }).waitFor();
  await signInOn(page, "eve@umbra.test", password);
  await tab.getByRole("button", { name: "Eve Umbra account menu" }).waitFor();
  await showsUmbra(tab);
  await message.waitFor({ state: "detached" });
});

test("a removed member sees another organisation of theirs and nothing of the first", async () => {
  await using lodge = await startService();
  await makeSecret(lodge);
  const { page } = await browser.open(lodge.url);
  await openAs(page, lodge, "mel@acme.test");
  await page.goto("/projects");
  await secret(page).waitFor();
  const ada = await signedIn(lodge, "ada@acme.test");
  const { rows } = await lodge.deps.pool.query<{ id: string }>("select id from users where email = 'mel@acme.test'");
  assert.equal((await ada("DELETE", `/members/${rows[0]?.id}`)).status, 204);
  await showsUmbra(page);
});
