import assert from "node:assert/strict";
import { after, test } from "node:test";
import { beginTotp, confirmTotp, listCards } from "@lodge/contract/calls.generated";
import { codeOf } from "../../server/src/testing/authenticator.ts";
import { password, signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { until } from "../../server/src/testing/until.ts";
import { startFirefox } from "./firefox.ts";
import { type FirefoxPage, openFirefoxPage } from "./firefox-page.ts";
import { makePng } from "./png.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const firefox = stack.use(await startFirefox());
const { acme } = await twoOrganisations(lodge);
const [inbox] = acme.projects[0]?.boards ?? [];
const [backlog = "", doing = ""] = inbox?.columns.map(({ id }) => id) ?? [];
const ada = await signedIn(lodge, "ada@acme.test");
const page = stack.use(await openFirefoxPage(firefox, lodge.url));
await signInAt(page, `/boards/${inbox?.id}`);

async function signInAt({ goto, click, type, press }: FirefoxPage, path: string, email = "mel@acme.test") {
  await goto(path);
  await click("input[type=email]");
  await type(email);
  await click("input[type=password]");
  await type(password);
  await press("Enter");
}

const file = async (title: string) =>
  `${(await lodge.fileTicket(acme.tokens[0]?.secret, { title, description: "A story" })).body.id}`;
const titlesOf = async (columnId: string) =>
  (await ada.call(listCards, { params: { columnId }, query: {} })).cards.map(({ title }) => title);
const card = (title: string): [string, string] => ["li[data-card] a", title];

test("in Firefox, new cards appear live, and cards are moved by mouse and by keyboard", async () => {
  await page.see("h2", "Backlog");
  for (const title of ["Dragged", "Carried"]) {
    await file(title);
    await page.see(...card(title)); // without a reload
  }
  await page.drag(card("Dragged"), ["section", "Doing"]);
  await page.until(
    `[...document.querySelectorAll("section")].some(({ textContent }) => /^Doing.*Dragged/s.test(textContent))`,
  );
  await page.press("j");
  await page.until(`document.activeElement.textContent === "Carried"`);
  await page.press(" ");
  await page.press("ArrowRight");
  await page.press("Enter");
  await page.until(
    `[...document.querySelectorAll("section")].some(({ textContent }) => /^Backlog.*No cards/s.test(textContent))`,
  );
  await until(async () => (await titlesOf(doing)).length === 2);
  assert.deepEqual(await titlesOf(backlog), []);
});

test("in Firefox, a card opens beside its board, drafts survive a reload, and images are pasted", async () => {
  const id = await file("First");
  await file("Second");
  await page.goto(`/boards/${inbox?.id}`);
  await page.click(...card("First"));
  await page.see("[role=dialog]", "First");
  await page.click(...card("Second"));
  await page.until(`document.querySelector("[role=dialog] textarea[aria-label=Title]")?.value === "Second"`);
  await page.press("Escape");
  await page.until(`document.activeElement.textContent === "Second"`);

  await page.goto(`/tickets/${id}`);
  await page.click("#ticket-comment");
  await page.type("Half a thought");
  await page.goto(`/tickets/${id}`);
  await page.until(`document.querySelector("#ticket-comment")?.value === "Half a thought"`);
  await page.evaluate(`(() => {
    const files = new DataTransfer();
    files.items.add(new File([new Uint8Array(${JSON.stringify([...makePng(40, 30)])})], "shot.png", { type: "image/png" }));
    const paste = new ClipboardEvent("paste", { bubbles: true, cancelable: true });
    Object.defineProperty(paste, "clipboardData", { value: files }); // Firefox does not let pages set it in the constructor
    document.querySelector("#ticket-comment").dispatchEvent(paste);
  })()`);
  await page.until(`document.querySelector("#ticket-comment").value.includes("![shot.png](/api/dashboard/images/")`);
  await page.click("#ticket-comment");
  await page.press("Control", "Enter");
  await page.until(`document.querySelector("[role=dialog] img[alt='shot.png']")?.naturalWidth === 40`);
  await page.until(`document.querySelector("#ticket-comment").value === ""`);
});

test("in Firefox, a person with a second factor signs in and opens the pages of the organisation", async () => {
  const { secret } = await ada.call(beginTotp, { body: { password } });
  const { recoveryCodes } = await ada.call(confirmTotp, { body: { code: codeOf(secret, new Date()) } });
  await using other = await openFirefoxPage(firefox, lodge.url);
  await signInAt(other, "/organisation", "ada@acme.test");
  await other.until(`document.activeElement.name === "code"`);
  await other.type("000000");
  await other.press("Enter");
  await other.see("[role=alert]", "The code is wrong");
  await other.press("Control", "a");
  await other.type(recoveryCodes[0] ?? "");
  await other.press("Enter");
  await other.see("h1", "Organisation");
  for (const [path, heading] of [
    ["/usage", "Usage"],
    ["/integrations", "Integrations"],
    ["/audit", "Audit log"],
    ["/profile", "Profile"],
    ["/members", "Members"],
  ] as const) {
    await other.goto(path);
    await other.see("h1", heading);
  }
  await other.click("section[aria-label='Identity provider'] button", "Set up");
  await other.see("[role=dialog]", "Redirect URI");
  await other.until(`document.activeElement.closest("[role=dialog]")`);
  await other.press("Escape");
  await other.miss("[role=dialog]");

  await other.goto("/apps");
  await other.click("main button", "New app");
  await other.type("Shop");
  await other.press("Enter");
  await other.see("h1", "Shop");
  await other.goto("/integrations");
  await other.click("main button", "New subscriber");
  await other.click("[role=dialog] [role=combobox]");
  await other.click("[role=option]", "GitHub issue");
  await other.see("[role=dialog] label", "Token");
  await other.click("[role=dialog] [role=combobox]");
  await other.click("[role=option]", "Discord");
  await other.miss("[role=dialog] label", "Token");
  await other.click("[role=dialog] input[type=url]");
  await other.type("https://discord.example.test/api/webhooks/1/secret");
  await other.press("Enter");
  await other.see("h1", "Discord https://discord.example.test");
});

test("in Firefox, dialogs focus their first field, ⌘K waits for results, and notifications arrive live", async () => {
  await page.goto("/inbox");
  await page.see("h1", "Notifications");
  const params = { ticketId: await file("For Mel") };
  await ada("POST", `/tickets/${params.ticketId}/comments`, {
    text: "@Mel Acme look",
    mentionedUserIds: [acme.members[2]?.id],
  });
  await page.see("nav a", "Notifications1 unread");
  await page.see("main a", "For Mel");
  await page.press("Control", "k");
  await page.see("[role=combobox]", "Search cards and commands");
  await page.until(`document.activeElement.matches("[role=combobox]")`);
  await page.type("for mel");
  await page.press("Enter");
  // Waits for the card itself, since the search result shows the same title. A pending navigation would abort the next
  // one.
  await page.until(`document.querySelector(".card-panel textarea[aria-label=Title]")?.value === "For Mel"`);
  await page.goto("/inbox");
  await page.see("h1", "Notifications");
  await page.press("?");
  await page.see("[role=dialog]", "Keyboard shortcuts");
  await page.until(`document.activeElement.matches("input[type=checkbox]")`);
  await page.press("Escape");
  await page.miss("[role=dialog]");
});

test("in Firefox, selected cards move together, and a view is saved and renamed", async () => {
  await file("Selected");
  await file("Selected, too");
  await page.goto(`/boards/${inbox?.id}?q=selected`);
  await page.see(...card("Selected, too"));
  await page.press("j");
  await page.press("x");
  await page.press("ArrowDown");
  await page.press("x");
  await page.see("[role=toolbar]", "2 cards selected");
  for (const key of [" ", "ArrowRight", " "]) await page.press(key);
  await until(async () => (await titlesOf(doing)).slice(0, 2).join() === "Selected, too,Selected");

  await page.click("button", "Save as a view");
  await page.until(`document.activeElement.matches("[role=dialog] input")`);
  await page.type("Chosen");
  await page.press("Enter");
  await page.see("section[aria-label=Messages] *", "“Chosen” saved");
  await page.click("button[aria-label='Actions for this board']");
  await page.click("[role=menuitem]", "Manage views");
  await page.click("button[aria-label='Rename Chosen']");
  await page.until(`document.activeElement.matches("input") && document.activeElement.value === "Chosen"`);
  await page.type(", again");
  await page.press("Enter");
  await page.see("[role=dialog] li", "again");
});
