import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  eraseReports,
  getApp,
  getTicket,
  makeEventCard,
  mergeProblems,
  viewInbox,
} from "@lodge/contract/calls.generated";
import { signedIn } from "../../server/src/testing/dashboard-client.ts";
import { slowTest } from "../../server/src/testing/slow-test.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { type Attachment, readEvent, submitReport, tellHappenings } from "../../server/src/testing/submit-report.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { openAs, startBrowser } from "./browser.ts";
import { startFirefox } from "./firefox.ts";
import { makePng } from "./png.ts";

const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const lodge = started.use(await startService());
const browser = started.use(await startBrowser());

let appId: string;
let key: string;
let columnId: string;
before(async () => {
  const { apps, projects } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [
      { name: "Ada", email: "ada@acme.test", role: "member" },
      { name: "Olga", email: "olga@acme.test", role: "owner" },
    ],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Done"] }] }],
    apps: [{ name: "Shop", slug: "shop", keys: ["default"], replies: true }],
  });
  appId = apps[0]?.id ?? "";
  key = apps[0]?.keys[0]?.key ?? "";
  columnId = projects[0]?.boards[0]?.columns[0]?.id ?? "";
});

/** Sends a report, and waits until it is in the inbox. */
async function report(envelope: Record<string, unknown>, attachments: Attachment[] = []): Promise<string> {
  const { eventId } = await submitReport(lodge.url, key, { reportId: randomUUID(), ...envelope }, attachments);
  await readEvent(lodge.deps, appId, eventId);
  return eventId;
}

/** A page at a path, opened by Ada or somebody else. */
async function openAt(path: string, permissions: string[] = [], email = "ada@acme.test") {
  const opened = await browser.open(lodge.url, { permissions });
  await openAs(opened.page, lodge, email);
  await opened.page.goto(path);
  return opened;
}

const markup = `<img src="/x" onerror="window.pwned=1"><script>window.pwned=1</script><style>body{display:none}</style>`;

const script = "<script>window.pwned=1;parent.pwned=1</script>";

/** A report that is hostile in every field, with hostile files and with real and fake images. */
function reportHostile(): Promise<string> {
  const stack = `Error: ${markup}\n${Array.from(
    { length: 5_000 },
    (_, index) => `    at ${index % 1_000 ? "call" : markup}${index} (https://x.test/app.js:${index + 1}:1)`,
  ).join("\n")}`;
  const strings = { id: markup, email: markup, name: markup };
  return report(
    {
      kind: "crash",
      title: markup,
      message: `${markup}\njavascript:alert(1) https://evil.example.test/`,
      installId: "<b>install</b>",
      user: strings,
      app: { version: markup, build: markup, environment: markup, release: markup },
      device: { model: markup, os: markup, osVersion: markup, locale: markup, screen: markup, userAgent: markup },
      sdk: { name: markup, version: markup },
      error: { type: markup, message: markup, stack },
      breadcrumbs: [
        { at: "2026-01-01T00:00:00Z", category: markup, message: markup, level: markup, data: { [markup]: markup } },
      ],
      tags: { [markup]: markup },
      context: { [markup]: { [markup]: [markup] }, __proto__x: 1, constructor: { prototype: markup } },
      dropped: [{ partName: markup, reason: markup }],
    },
    [
      {
        partName: "svg",
        filename: `${markup}.svg`,
        contentType: "image/svg+xml",
        bytes: Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1">${script}</svg>`),
      },
      { partName: "html", filename: "x.html", contentType: "text/html", bytes: Buffer.from(script) },
      {
        partName: "disguised",
        filename: "x.png",
        contentType: "image/png",
        bytes: Buffer.from(`<svg>${script}</svg>`),
      },
      { partName: "screen", filename: "screen.png", contentType: "image/png", bytes: makePng(64, 48) },
    ],
  );
}

test("a hostile report is shown as text, with markup in each field and scripts in attachments", async () => {
  const { page, problems } = await openAt(`/events/${await reportHostile()}`);
  await page.getByRole("heading", { name: markup }).first().waitFor();

  const shown = page.getByRole("img", { name: "screen.png" });
  await shown.scrollIntoViewIfNeeded();
  assert.equal(
    await page.evaluate(
      `(async () => {
        const picture = document.querySelector("img[alt='screen.png']");
        await picture.decode();
        return picture.naturalWidth;
      })()`,
    ),
    64,
  );
  await page.getByText("The browser cannot show this image.").waitFor();
  await eventually(async () =>
    assert.equal(await page.locator("main img").count(), 1, "an SVG attachment is not shown as an image"),
  );

  await page.getByRole("button", { name: "Show x.html" }).click();
  await page.getByRole("region", { name: "x.html" }).getByText(script).waitFor();
  await page.getByRole("button", { name: "Show original" }).click();
  await page.getByText("call4999 (https://x.test/app.js:5000:1)").waitFor();
  await page.getByRole("button", { name: "Show the raw envelope" }).click();
  await page
    .getByRole("region", { name: "the raw envelope" })
    .getByText(/onload|onerror/)
    .first()
    .waitFor();
  for (const member of await page.getByRole("button", { name: "<img" }).all()) await member.click();

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Download x.html" }).click(),
  ]);
  assert.equal(download.suggestedFilename(), "x.html");
  assert.equal(
    await page.locator("main :is(script, style, iframe, object, embed, svg:not(.lucide), [onerror])").count(),
    0,
  );
  assert.equal(await page.locator("main a[href*='evil'], main a[href^='javascript']").count(), 0);
  assert.equal(await page.evaluate("window.pwned"), undefined);

  await page.getByRole("link", { name: "Shop" }).click();
  await page.getByRole("heading", { name: "Shop", exact: true }).waitFor();
  await page.getByRole("link", { name: markup }).first().click();
  await page.getByRole("heading", { name: "Why these reports are grouped" }).waitFor();
  assert.equal(await page.evaluate("window.pwned"), undefined);
  assert.deepEqual(problems, []);
});

/** Runs in an event page: expands everything, and returns what the browser shows. */
const lookAround = `async () => {
  const until = async (find) => {
    for (;;) {
      const found = find();
      if (found) return found;
      await new Promise(requestAnimationFrame);
    }
  };
  const all = (selector) => [...document.querySelectorAll("main " + selector)];
  const says = (text) => until(() => document.querySelector("main")?.textContent.includes(text));
  (await until(() => all("button").find(({ innerText }) => innerText === "Show original"))).click();
  for (const closed of all("button[aria-expanded=false]")) closed.click();
  await says("call4999 (https://x.test/app.js:5000:1)");
  await says("<script>window.pwned=1;parent.pwned=1</scr" + "ipt>");
  for (const picture of all("img")) picture.scrollIntoView();
  await says("The browser cannot show this image.");
  await all("img")[0].decode();
  return {
    pictures: all("img").length,
    width: all("img")[0].naturalWidth,
    laidOut: all(":is(script, style, iframe, object, embed, svg:not(.lucide), [onerror])").length,
    pwned: "pwned" in window,
  };
}`;

slowTest("Firefox shows the same report as text, too", async () => {
  const eventId = await reportHostile();
  await using firefox = await startFirefox();
  await using profile = await firefox.openProfile();
  const tab = await profile.openTab(`${lodge.url}/sign-in`);
  const { cookies } = await signedIn(lodge, "ada@acme.test");
  for (const [name, value] of cookies) {
    await tab.run("(cookie) => { document.cookie = cookie; }", `${name}=${value}; path=/`);
  }
  await tab.goto(`${lodge.url}/events/${eventId}`);
  const shown = await tab.run<[], unknown>(lookAround);
  assert.deepEqual(shown, { pictures: 1, width: 64, laidOut: 0, pwned: false });
});

test("an envelope of 4 MB is shown in part and copied whole", async () => {
  const blob = Array.from({ length: 40_000 }, (_, index) => `${index}`.padEnd(95, "x"));
  const eventId = await report({ title: "Large", message: "It is all in there", context: { blob } });
  const { page, problems } = await openAt(`/events/${eventId}`, ["clipboard-read", "clipboard-write"]);
  await page.getByText("This report is large").waitFor();
  await page.getByRole("button", { name: "Show the raw envelope" }).click();
  await page.getByText("Only the start is shown").waitFor();
  let copied = "";
  await until(async () => {
    await page.getByRole("button", { name: /Copy the raw envelope|the raw envelope copied/ }).click();
    await page.getByRole("button", { name: "the raw envelope copied" }).waitFor();
    copied = String(await page.evaluate("navigator.clipboard.readText()"));
    return copied.includes("It is all in there"); // all pages of the machine share one clipboard
  });
  assert.deepEqual(JSON.parse(copied).context.blob, blob);
  assert.deepEqual(problems, []);
});

const javaChain = `com.acme.OrderException: order 17 failed
\tat com.acme.shop.Orders.place(Orders.java:30)
\tat org.springframework.web.servlet.FrameworkServlet.service(FrameworkServlet.java:897)
Caused by: com.acme.PayException: no bank
\tat com.acme.shop.Bank.ask(Bank.java:12)
\tat com.acme.shop.Orders.place(Orders.java:28)
\t... 1 more`;
const goroutines = `panic: assignment to entry in nil map

goroutine 1 [running]:
main.fill(...)
\t/src/fill.go:9

goroutine 18 [chan receive]:
main.wait(0xc00002a060)
\t/src/wait.go:5 +0x2c`;
const aggregate = `AggregateError: no way to pay
    at pay (https://shop.test/pay.js:1:900)
[errors]: TypeError: no bank
    at askBank (https://shop.test/pay.js:1:950)
[errors]: RangeError: no limit
    at askCard (https://shop.test/pay.js:1:980)`;

test("an error is shown as its platform prints it, with causes, members, goroutines and its location", async () => {
  const send = (type: string, message: string, more: object, at = {}) =>
    report({ kind: "crash", error: { type, message, ...more }, ...at });
  const occurredAt = "2026-05-01T12:00:00Z";
  const java = await send("com.acme.OrderException", "order 17 failed", { stack: javaChain }, { occurredAt });
  const { page, problems } = await openAt(`/events/${java}`);
  await page.getByRole("heading", { name: "Caused by com.acme.PayException no bank", exact: true }).waitFor();
  await page.getByRole("listitem").filter({ hasText: "Error here" }).filter({ hasText: "Bank.ask" }).last().waitFor();
  await page.getByRole("button", { name: "1 library frame", exact: true }).first().click();
  await page.getByText("org.springframework.web.servlet.FrameworkServlet.service", { exact: true }).waitFor();
  const time = page.locator(`time[title="${occurredAt}"]`);
  await time.filter({ hasText: /May 1, 2026, 8:00\sAM/ }).waitFor(); // New York time

  await page.goto(`/events/${await send("panic", "assignment to entry in nil map", { stack: goroutines })}`);
  await page.locator("details:not([open])").filter({ hasText: "goroutine 18" }).waitFor();
  await page.getByText("goroutine 18 [chan receive]", { exact: true }).click();
  await page.getByText("main.wait", { exact: true }).waitFor();

  const context = { before: ["def ask():"], line: "    return int(amount)", after: [] };
  const frames = [{ function: "ask", file: "shop/bank.py", line: 2, context }];
  const causes = [{ type: "ValueError", message: "no amount", frames }];
  const python = { frames: [{ function: "place", file: "shop/orders.py", line: 7 }], causes };
  await page.goto(`/events/${await send("OrderError", "order 17 failed", python, { platform: "python" })}`);
  await page.getByRole("heading", { name: "Caused OrderError order 17 failed", exact: true }).waitFor();
  await eventually(async () =>
    assert.deepEqual(await page.getByRole("heading", { level: 4 }).allTextContents(), [
      "ValueError no amount",
      "Caused OrderError order 17 failed",
    ]),
  );
  await page.getByText("return int(amount)").waitFor();

  await page.goto(`/events/${await send("AggregateError", "no way to pay", { stack: aggregate })}`);
  await page.getByRole("heading", { name: "Caused by TypeError no bank", exact: true }).waitFor();
  await page.getByRole("heading", { name: "Also RangeError no limit", exact: true }).waitFor();
  assert.deepEqual(problems, []);
});

test("an inbox updates live, is searched, and is used by keyboard up to creating a card", async () => {
  const { page, problems } = await openAt(`/reports/${appId}?order=frequent`);
  await page.getByRole("heading", { name: "Shop" }).waitFor();
  const error = { type: "QuotaError", message: "disk is full" };
  await report({ error, installId: "a", app: { version: "1.9.0" } });
  await page.getByRole("link", { name: "QuotaError: disk is full" }).waitFor();
  await report({ error, installId: "b", app: { version: "1.10.0" } });
  await report({ kind: "feedback", title: "Please add a dark theme", message: "My eyes" });
  await page.getByText("2 reports").first().waitFor();
  await page.getByRole("link", { name: "Please add a dark theme" }).waitFor();

  await page.getByRole("searchbox").fill("DARK the");
  await page.waitForURL(/q=DARK/);
  await page.getByRole("link", { name: "QuotaError" }).waitFor({ state: "detached" });
  await page.reload();
  await page.getByRole("link", { name: "Please add a dark theme" }).waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByRole("combobox", { name: /^Version/ }).click();
  await page.getByRole("option", { name: "1.10.0" }).click();
  await page.getByRole("link", { name: "Please add a dark theme" }).waitFor({ state: "detached" });

  await page.getByRole("link", { name: "QuotaError" }).waitFor();
  await page.locator("main h1").focus();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "QuotaError: disk is full" }).waitFor();
  await page.getByText("1.10.0").first().waitFor();
  await page.getByRole("link", { name: "Latest report" }).click();
  await page.getByRole("link", { name: "One of 2 occurrences" }).waitFor();
  await page.getByRole("link", { name: "Older" }).click();
  await page.getByRole("link", { name: "Newer" }).waitFor();
  await page.getByRole("button", { name: "Create card" }).click();
  await page.waitForURL(/\/tickets\//);
  const ticketId = page.url().split("/").at(-1) ?? "";
  const about = page.getByRole("region", { name: "Reported" });
  await about.getByRole("link", { name: "2 reports of a problem" }).waitFor();
  const card = page.getByRole("listitem").filter({ hasText: "QuotaError: disk is full" });
  await card.getByText("2 reports from 2 users").waitFor();
  await report({ error, installId: "a", app: { version: "1.9.0" } });
  await card.getByText("3 reports from 2 users").waitFor();
  await about.getByRole("link", { name: "3 reports of a problem" }).waitFor();
  await page.goBack();
  await page.getByRole("textbox", { name: "Reply to the reporter" }).fill("We look into it.");
  await page.getByRole("button", { name: "Reply", exact: true }).click();
  await page.getByRole("listitem").filter({ hasText: "We look into it." }).waitFor();
  await page.getByRole("link", { name: "One of 3 occurrences" }).click();
  await page.getByRole("region", { name: "Cards" }).getByRole("link", { name: "QuotaError" }).waitFor();
  await page.getByRole("button", { name: "Resolve", exact: true }).click();
  await page.getByText("Resolved in 1.10.0").waitFor();
  await page.getByRole("button", { name: "Reopen" }).click();
  const ada = await signedIn(lodge, "ada@acme.test");
  // If the list were refetched before the problem is open again, the problem and the focus would be lost.
  await until(async () => {
    const { entries } = await ada.call(viewInbox, { params: { appId }, query: { text: "QuotaError" } });
    return entries.some((entry) => entry.type === "problem" && entry.problem.state === "open");
  });
  await page.getByRole("button", { name: "Resolve", exact: true }).waitFor();
  await page.getByRole("link", { name: "Shop" }).click();
  await page.locator("h1:focus", { hasText: "Shop" }).waitFor(); // a page takes the focus when it opens
  await page.getByRole("link", { name: "QuotaError" }).focus();
  await page.keyboard.press("r");
  await page.getByRole("link", { name: "QuotaError" }).waitFor({ state: "detached" });
  const ticket = await ada.call(getTicket, { params: { ticketId } });
  assert.equal(ticket.title, "QuotaError: disk is full");
  assert.match(ticket.description, /\/(?:events|problems)\//);
  assert.deepEqual(problems, []);
});

test("an owner counts and deletes a person's data, and a member cannot", async () => {
  const user = { email: "grace@acme.test" };
  const eventId = await report({ kind: "feedback", title: "Forget this", user });
  const other = await report({ kind: "feedback", title: "And this", user });
  const ada = await openAt(`/events/${eventId}`);
  await ada.page.getByRole("heading", { name: "Forget this" }).waitFor();
  assert.equal(await ada.page.getByRole("button", { name: "Delete a person's data…" }).count(), 0);
  const { page, problems } = await openAt(`/events/${eventId}`, [], "olga@acme.test");
  await page.getByRole("button", { name: "Delete a person's data…" }).click();
  const dialog = page.getByRole("dialog");
  await eventually(async () =>
    assert.equal(await dialog.getByRole("textbox", { name: "E-mail address" }).inputValue(), user.email),
  );
  await dialog.getByRole("button", { name: "Count" }).click();
  await dialog.getByRole("status").getByText("2", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await dialog.getByRole("heading", { name: "Deleted" }).waitFor();
  await dialog.getByRole("button", { name: "Done" }).click();
  await page.waitForURL(`**/reports/${appId}`);
  await page.getByRole("button", { name: "Delete a person's data…" }).waitFor(); // also available without a report of the person
  const left = await lodge.deps.db.selectFrom("events").select("id").where("id", "in", [eventId, other]).execute();
  assert.deepEqual([left, problems], [[], []]);
});

test("an open card and the log of its run hide text as soon as it is erased", async () => {
  const email = "hopper@acme.test";
  const eventId = await report({ kind: "feedback", title: "A moth in relay 70", user: { email } });
  const olga = await signedIn(lodge, "olga@acme.test");
  const { ticketId } = await olga.call(makeEventCard, { params: { eventId }, body: { columnId } });
  await olga("PATCH", `/tickets/${ticketId}`, { title: "A dead moth", description: "The moth is dead." });
  await lodge.deps.pool.query(
    `with run as (
       insert into agent_runs (organisation_id, ticket_id, state, changed_at, started_at, ended_at, summary, log_length)
       select organisation_id, id, 'succeeded', now(), now(), now(), 'I found the moth', 1 from tickets where id = $1
       returning organisation_id, id
     ) insert into run_log_entries (organisation_id, run_id, position, kind, text, at)
     select organisation_id, id, 0, 'output', 'I read of a moth', now() from run`,
    [ticketId],
  );
  const { page, problems } = await openAt(`/tickets/${ticketId}`);
  await page.getByText("I found the moth").waitFor();
  await page.getByRole("button", { name: "Log", exact: true }).click();
  await page.getByText("I read of a moth").waitFor();
  await page.getByRole("button", { name: "Show changes" }).click();
  await page.getByLabel("Changes to the description").waitFor();
  await olga.call(eraseReports, { body: { by: "email", value: email } });
  await page.getByText("The report text on this card was erased.").waitFor();
  await page.getByText("This version of the text is no longer available.").waitFor();
  await until(async () => (await page.getByText(/moth/).count()) === 0);
  await eventually(async () => assert.equal(await page.getByLabel("Title").inputValue(), "Erased report"));
  assert.deepEqual(problems, []);
});

test("a reporter's message shows immediately, is marked as read when seen, and is answered by keyboard", async () => {
  const { eventId, thread } = await submitReport(lodge.url, key, { reportId: randomUUID(), title: "No receipt" });
  await readEvent(lodge.deps, appId, eventId);
  const asReporter = (method: "GET" | "POST", query: string, body?: object) =>
    lodge.request(method, `/api/threads/${thread?.id}/messages${query}`, {
      headers: { authorization: `Bearer ${thread?.token}` },
      ...(body && { body }),
    });
  const { page, problems } = await openAt("/threads");
  await page.getByRole("heading", { name: "Conversations", exact: true }).waitFor();
  await page.getByText("No conversation is waiting for a reply.").waitFor();
  await asReporter("POST", "", { text: "Where is my receipt?" });
  await page.getByRole("link", { name: "No receipt" }).waitFor();
  const unread = page.getByRole("link", { name: "Conversations 1 unread" });
  await unread.waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "No receipt" }).waitFor();
  await unread.waitFor({ state: "detached" });
  await page.getByText("1 is waiting for a reply.").waitFor();
  const field = page.getByRole("textbox", { name: "Reply to the reporter" });
  await field.waitFor();
  await page.keyboard.press("r");
  await page.locator(":focus").and(field).waitFor();
  await page.keyboard.type("In your mail.");
  await page.keyboard.press("Control+Enter");
  await page.getByText("No conversation is waiting for a reply.").waitFor();
  await page.getByRole("region", { name: "Conversation" }).getByText("In your mail.").waitFor();
  await asReporter("GET", "?after=2");
  await page.getByText("Seen by the reporter").waitFor();
  await page.getByRole("link", { name: "Show the report" }).click();
  await page.getByRole("heading", { name: "Conversation with the reporter" }).waitFor();
  assert.deepEqual(problems, []);
});

test("problems are merged, and split again by the fingerprints of their reports", async () => {
  const error = { type: "AlphaError", message: "no answer" };
  await report({ error });
  await report({ error: { ...error, type: "BetaError" } });
  const { page, problems } = await openAt(`/reports/${appId}?q=AlphaError`);
  await page.getByRole("link", { name: "AlphaError: no answer" }).click();
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Merge with other problems" });
  await dialog.getByRole("searchbox").fill("BetaError");
  await dialog.getByRole("checkbox", { name: "BetaError: no answer" }).check();
  await dialog.getByRole("button", { name: "Merge into this one" }).click();
  const why = page.getByRole("region", { name: "Why these reports are grouped" });
  await why.getByText("This problem has 2 fingerprints.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await why.getByText("Choose the ones that belong to another problem").waitFor({ state: "detached" });

  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await dialog.getByRole("searchbox").fill("BetaError");
  await dialog.getByRole("checkbox", { name: "BetaError: no answer" }).check();
  await page.keyboard.press("Enter");
  await why.getByRole("listitem").filter({ hasText: "BetaError" }).getByRole("checkbox").check();
  await why.getByRole("button", { name: "Split off" }).click();
  await why.getByRole("link", { name: "Show the new problem" }).click();
  await page.getByRole("heading", { name: "BetaError: no answer" }).waitFor();
  await page.getByRole("button", { name: "Undo" }).last().click();
  await page.getByRole("heading", { name: "There is no such problem" }).waitFor();
  assert.deepEqual(problems, []);
});

test("a deleted problem is not offered for merging, and if it was chosen before, the list is reloaded", async () => {
  const merged = (name: string) => ({ error: { type: name, message: "no answer" } });
  for (const name of ["GammaError", "DeltaError", "OmegaError"]) await report(merged(name));
  const { page } = await openAt(`/reports/${appId}?q=GammaError`);
  const inbox = async (name: string) => {
    const { entries } = await ada.call(viewInbox, { params: { appId }, query: { text: name } });
    return entries[0]?.type === "problem" ? entries[0].problem.id : "";
  };
  const ada = await signedIn(lodge, "ada@acme.test");
  await page.getByRole("link", { name: "GammaError: no answer" }).click();
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Merge with other problems" });
  const delta = dialog.getByRole("checkbox", { name: "DeltaError: no answer" });
  await delta.check();
  await ada.call(mergeProblems, {
    params: { problemId: await inbox("OmegaError") },
    body: { problemIds: [await inbox("DeltaError")] },
  });
  await dialog.getByRole("button", { name: "Merge into this one" }).click();
  await dialog.getByText("There is no such problem.").waitFor();
  await delta.waitFor({ state: "detached" });
  await dialog.getByRole("checkbox", { name: "OmegaError: no answer" }).check();

  await page.route("**/inbox?*", async (route) => {
    await sleep(1_000); // a slow network
    await route.continue();
  });
  const why = page.getByRole("region", { name: "Why these reports are grouped" });
  await page.keyboard.press("Enter");
  await why.getByText("This problem has 3 fingerprints.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await why.getByText("Choose the ones that belong to another problem").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await dialog.getByRole("checkbox", { name: "OmegaError: no answer" }).check();
  await page.keyboard.press("Enter");
  await why.getByText("This problem has 3 fingerprints.").waitFor();
});

test("a problem is assigned, resolved in the next version, charted by version, and listed by its release", async () => {
  const error = { type: "ChartError", message: "no axis" };
  const log = "08:00 started\n08:01 <b>no axis</b>";
  for (const version of ["3.0", "3.0", "3.1"]) await report({ error, app: { version }, user: { id: "u-9" } });
  const sent = {
    partName: "log",
    filename: "app.log",
    contentType: "application/octet-stream",
    bytes: Buffer.from(log),
  };
  await report({ error, app: { version: "3.1" } }, [sent]);
  const { page, problems } = await openAt(`/reports/${appId}?q=user:u-9`);
  await page.getByRole("link", { name: "ChartError: no axis" }).click();
  const chart = page.getByRole("region", { name: "Reports by version" });
  await chart.getByRole("listitem").filter({ hasText: "3.0" }).getByText("2 reports in").waitFor();
  await page.getByRole("combobox", { name: "Assignee: Nobody" }).click();
  await page.getByRole("option", { name: "Olga" }).click();
  await page.getByRole("combobox", { name: "Assignee: Olga" }).waitFor();
  await page.getByRole("button", { name: "Show app.log" }).click();
  await page.getByText("08:01 <b>no axis</b>").waitFor();
  await page.getByRole("button", { name: "Resolve in next version" }).click();
  await page.getByText("Resolved in the version after 3.1").waitFor();

  await page.getByRole("link", { name: "Shop" }).click();
  await page.getByRole("link", { name: "Releases" }).click();
  const release = page.getByRole("row").filter({ has: page.getByRole("rowheader", { name: "3.0" }) });
  await release.waitFor();
  await eventually(async () =>
    assert.deepEqual((await release.getByRole("cell").allInnerTexts()).slice(0, 4), ["2", "1", "1", "0"]),
  );
  await release.getByRole("link", { name: "3.0" }).click();
  await page.waitForURL(/version=/);
  await page.getByRole("link", { name: "ChartError: no axis" }).waitFor();
  assert.deepEqual(problems, []);
});

test("the Reports page starts with the newest and most frequent problems of all apps", async () => {
  const slug = `globex-${randomUUID()}`;
  const { apps } = await lodge.apply({
    organisation: { name: "Globex", slug },
    members: [{ name: "Hank", email: `hank@${slug}.test`, role: "owner" }],
    apps: ["Mill", "Till"].map((name) => ({ name, slug: name.toLowerCase(), keys: ["default"] })),
  });
  for (const [index, app] of [...apps, ...apps.slice(0, 1)].entries()) {
    const error = { type: "TypeError", message: app.slug };
    const envelope = { reportId: `${index}`, error, user: { email: "grace@globex.test" } };
    const { eventId } = await submitReport(lodge.url, app.keys[0]?.key ?? "", envelope);
    await readEvent(lodge.deps, app.id, eventId);
  }
  const { page, problems } = await openAt("/reports", [], `hank@${slug}.test`);
  const titlesOf = (region: string) => page.getByRole("region", { name: region }).getByRole("link").allInnerTexts();
  await page.getByRole("img", { name: "2 reports in the last 14 days" }).first().waitFor();
  await eventually(async () => {
    assert.deepEqual(await titlesOf("New problems"), ["TypeError: till", "TypeError: mill"]);
    assert.deepEqual(await titlesOf("Most frequent problems"), ["TypeError: mill", "TypeError: till"]);
  });

  await page.getByRole("button", { name: "Delete a person's data…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "E-mail address" }).fill("grace@globex.test");
  await dialog.getByRole("button", { name: "Count" }).click();
  await dialog.getByRole("link", { name: "Mill" }).click();
  await page.waitForURL(/reports\/.*grace/); // the previous page is still shown, with two such links
  await page.getByRole("heading", { name: "Mill", exact: true }).waitFor();
  await page.getByRole("link", { name: "TypeError: mill" }).waitFor();
  assert.deepEqual(problems, []);
});

test("a new problem appears in notifications, and its event shows source lines, breadcrumbs and conversation", async () => {
  const slug = `initech-${randomUUID()}`;
  const email = `peter@${slug}.test`;
  const { apps, tokens } = await lodge.apply({
    organisation: { name: "Initech", slug },
    members: [{ name: "Peter", email, role: "owner" }],
    tokens: [{ name: "CI", scope: "all", permissions: ["sourcemaps:write"] }],
    apps: [{ name: "Printer", slug: "printer", keys: ["default"], replies: true }],
  });
  const [app] = apps;
  assert.ok(app);
  const { page, problems } = await openAt(`/apps/${app.id}`, [], email);
  await page.getByRole("checkbox", { name: "Source code in stack traces" }).check();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const peter = await signedIn(lodge, email);
  await until(async () => (await peter.call(getApp, { params: { appId: app.id } })).sourceLines);

  const map = {
    version: 3,
    sources: ["src/print.ts"],
    names: [],
    sourcesContent: ["export function print(page) {\n  load(page.letter);\n}\n"],
    mappings: "AACE",
  };
  const form = new FormData();
  form.set("print.js", new Blob([JSON.stringify(map)]));
  const headers = { authorization: `Bearer ${tokens[0]?.secret}` };
  const url = `${lodge.url}/api/v1/apps/printer/source-maps`;
  assert.equal((await fetch(url, { method: "POST", headers, body: form })).status, 200);
  const { eventId } = await submitReport(lodge.url, app.keys[0]?.key ?? "", {
    reportId: randomUUID(),
    error: {
      type: "PaperError",
      message: "load letter",
      stack: "PaperError: load letter\n    at p (https://x.test/print.js:1:1)",
    },
    breadcrumbs: [{ at: "2026-01-01T00:00:00Z", category: "ui.click", message: "Print" }],
  });
  await readEvent(lodge.deps, app.id, eventId);
  await tellHappenings(lodge.deps);

  await page.goto("/inbox");
  await page.getByRole("link", { name: "New in Printer: PaperError: load letter" }).click();
  await page.waitForURL(/\/problems\//);
  await page.getByRole("link", { name: "Latest report" }).click();
  await page.getByText("load(page.letter);").waitFor();
  await page.getByText("src/print.ts:2:3").waitFor();
  await page.getByRole("heading", { name: "Conversation with the reporter" }).waitFor();
  await eventually(async () => {
    const parts = await page.locator("main h2").allInnerTexts();
    assert.deepEqual(parts.slice(0, 3), ["PaperError", "Breadcrumbs", "Conversation with the reporter"]);
  });
  assert.deepEqual(problems, []);
});
