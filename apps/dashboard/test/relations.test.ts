import assert from "node:assert/strict";
import { after, test } from "node:test";
import {
  changeColumn,
  changeTicket,
  createTicket,
  deleteTicket,
  getTicket,
  listComments,
  listRelations,
  moveTicket,
  restoreTickets,
  writeComment,
} from "@lodge/contract/calls.generated";
import type { Page } from "playwright-core";
import { signedIn, twoOrganisations } from "../../server/src/testing/dashboard-client.ts";
import { startService } from "../../server/src/testing/start-service.ts";
import { eventually, until } from "../../server/src/testing/until.ts";
import { cardNumber } from "../src/board/ticket/card-number.ts";
import { openAs, startBrowser } from "./browser.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const browser = stack.use(await startBrowser());
const { acme, umbra } = await twoOrganisations(lodge);
const mel = await signedIn(lodge, "mel@acme.test");
const columnId = acme.projects[0]?.boards[0]?.columns[0]?.id ?? "";
const doneId = acme.projects[0]?.boards[0]?.columns[2]?.id ?? "";

await mel.call(changeColumn, { params: { columnId: doneId }, body: { isDone: true } });

/** Files a card as Mel, and waits for its number. */
const file = async (title: string, description = "") => {
  const { id, number } = await mel.call(createTicket, { body: { columnId, title, description } });
  return { id, number: number ?? "", params: { ticketId: id } };
};
const relationsOf = async (ticketId: string) =>
  (await mel.call(listRelations, { params: { ticketId } })).relations.map(({ kind, card }) => `${kind} ${card.title}`);

async function openCard(ticketId: string) {
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  await openAs(opened.page, lodge, "mel@acme.test");
  await opened.page.goto(`/tickets/${ticketId}`);
  return { ...opened, relations: opened.page.getByRole("region", { name: "Relations" }) };
}

/** Adds a relation to the open card by keyboard. */
async function relateByKeys(page: Page, kind: string, typed: string, title: string) {
  const add = page.getByRole("button", { name: "Add relation" });
  await add.press("Enter");
  const item = page.getByRole("menuitem", { name: kind });
  await item.waitFor();
  await item.press("Enter");
  const field = page.getByRole("combobox", { name: `${kind}: find a card`.replace("…", "") });
  await field.fill(typed);
  await page.getByRole("option", { name: title, selected: true }).waitFor();
  await eventually(async () => assert.equal(await page.getByRole("option").count(), 1));
  await field.press("Enter");
  await field.waitFor({ state: "detached" });
}

test("card numbers are found in a text, and lookalikes are not", () => {
  const numbersIn = (text: string) => text.split(cardNumber).filter((_, index) => index % 2 === 1);
  assert.deepEqual(numbersIn("WEB-12, (MOBILE-APP-3) and 3D-4."), ["WEB-12", "MOBILE-APP-3", "3D-4"]);
  assert.deepEqual(numbersIn("web-1 2026-11-27 WEB-1-x aWEB-1 WEB-1.5 a/WEB-1 WEB-1234567890 @R2-2 -WEB-1"), []);
});

test("a relation is added by number or title with the keyboard, shows on both cards, and is removed by a click", async () => {
  const [open, other] = [await file("Checkout fails"), await file("Tax service is down")];
  const { page, relations, problems } = await openCard(open.id);
  await relations.getByText(/^No relations/).waitFor();
  await relateByKeys(page, "Blocked by…", other.number, "Tax service");
  await relations
    .getByRole("list", { name: "Blocked by" })
    .getByRole("link", { name: "Tax service is down" })
    .waitFor();
  await page.getByText(`marked it as blocked by ${other.number}`).waitFor();
  await eventually(() => page.evaluate("document.activeElement?.id").then((id) => assert.equal(id, "add-relation")));
  const theirs = await openCard(other.id);
  await theirs.relations.getByRole("list", { name: "Blocks" }).getByRole("link", { name: "Checkout fails" }).waitFor();
  // A change of the other card shows immediately.
  await mel.call(moveTicket, { ...other, body: { columnId: doneId, belowTicketId: null } });
  await relations.getByRole("link", { name: "Tax service is down (done)" }).waitFor();
  await mel.call(changeTicket, { ...other, body: { title: "Tax service was down" } });
  await relations.getByRole("link", { name: "Tax service was down (done)" }).waitFor();
  await mel.call(deleteTicket, other);
  await relations.getByText(/^No relations/).waitFor();
  await mel.call(restoreTickets, { body: { ticketIds: [other.id] } });
  await relations.getByRole("button", { name: `Remove the relation to ${other.number}` }).click();
  await relations.getByText(/^No relations/).waitFor();
  await theirs.relations.getByText(/^No relations/).waitFor();
  await page.getByText(`removed the relation to ${other.number}`).waitFor();
  assert.deepEqual([...problems, ...theirs.problems], []);
});

test("a duplicate is closed, its comments show on the other card, and an undo restores everything", async () => {
  const [open, other] = [await file("Login is slow"), await file("Signing in takes long")];
  await mel.call(writeComment, { ...open, body: { text: "It takes a minute" } });
  const { page, relations, problems } = await openCard(open.id);
  await page.getByText("It takes a minute").waitFor();
  await relateByKeys(page, "Duplicate of…", "signing in", "Signing in takes long");
  await page.getByText(`Closed as a duplicate of ${other.number}`).waitFor();
  await page.getByText("It takes a minute").waitFor({ state: "detached" });
  await relations.getByRole("list", { name: "Duplicate of" }).getByRole("link", { name: other.number }).click();
  await page.getByRole("list", { name: "Duplicates" }).getByRole("link", { name: "Login is slow (done)" }).waitFor();
  await page.getByText("It takes a minute").waitFor();
  await page.getByText(`marked ${open.number} as a duplicate of it, which moved 1 comment here`).waitFor();
  await page.getByRole("button", { name: "Close card" }).focus();
  await page.keyboard.press("ControlOrMeta+z");
  await page.getByText("Undone", { exact: true }).waitFor();
  await until(async () => (await mel.call(getTicket, open)).doneAt === null);
  assert.equal((await mel.call(listComments, { ...open, query: {} })).comments.length, 1);
  await page.getByText("It takes a minute").waitFor({ state: "detached" });
  assert.deepEqual(await relationsOf(other.id), []);
  assert.deepEqual(problems, []);
});

test("card numbers in texts become links with titles, all fetched in one request", async () => {
  const eve = await signedIn(lodge, "eve@umbra.test");
  const foreign = umbra.projects[1]?.boards[0]?.columns[0]?.id ?? "";
  await eve.call(createTicket, { body: { columnId: foreign, title: "Theirs" } }); // MOBILE-1 of Umbra
  const [first, second] = [await file("First of all"), await file("Second")];
  await mel.call(moveTicket, { ...second, body: { columnId: doneId, belowTicketId: null } });
  const open = await file(
    "Plan",
    [
      `See ${first.number} and **${second.number}**, not MOBILE-1 or UTF-8.`,
      `\`${first.number}\` [${first.number}](https://example.test)`,
      "```",
      second.number,
      "```",
    ].join("\n\n"),
  );
  await mel.call(writeComment, { ...open, body: { text: `Again ${first.number}` } });
  const asked: string[] = [];
  const opened = await browser.open(lodge.url, { viewport: { width: 1440, height: 900 } });
  const { page, problems } = opened;
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === "/api/dashboard/numbers") asked.push(searchParams.get("numbers") ?? "");
  });
  await openAs(page, lodge, "mel@acme.test");
  await page.goto(`/tickets/${open.id}`);
  const description = page.getByRole("region", { name: "Description" });
  const link = description.getByRole("link", { name: first.number, exact: true }).first();
  await description.getByRole("link", { name: `${second.number} (done)` }).waitFor();
  await page
    .locator("li")
    .filter({ hasText: "Again" })
    .getByRole("link", { name: first.number, exact: true })
    .waitFor();
  assert.equal(await link.getAttribute("title"), "First of all");
  assert.deepEqual(
    await description.getByRole("link").evaluateAll((links) => links.map((each) => each.getAttribute("href"))),
    [`/tickets/${first.id}`, `/tickets/${second.id}`, "https://example.test"],
  );
  const numbers = asked.flatMap((each) => each.split(","));
  assert.equal(new Set(numbers).size, numbers.length, `each number is requested once: ${asked}`);
  assert.ok(asked.length <= 2, `the numbers of a text are requested together: ${asked}`);
  await mel.call(changeTicket, { ...first, body: { archived: true } });
  await description.getByRole("link", { name: `${first.number} (archived)` }).waitFor();
  await mel.call(deleteTicket, first);
  await description
    .getByRole("link", { name: first.number })
    .filter({ hasText: "archived" })
    .waitFor({ state: "detached" });
  await description.getByRole("link", { name: `${second.number} (done)` }).click();
  await page.getByRole("dialog", { name: "Second" }).waitFor();
  assert.deepEqual(problems, []);
});

test("a button beside a task in a description or one's own comment turns it into a card", async () => {
  const open = await file("Release", "- [ ] Write the notes\n- [x] Tag it");
  await mel.call(writeComment, { ...open, body: { text: "- [ ] Tell everybody" } });
  const { page, relations, problems } = await openCard(open.id);
  const make = (task: string) => page.getByRole("button", { name: `Create a card from “${task}”` });
  await make("Write the notes").press("Enter");
  const made = relations.getByRole("list", { name: "Relates to" });
  await made.getByRole("link", { name: "Write the notes" }).waitFor();
  await make("Write the notes").waitFor({ state: "detached" });
  const { description } = await mel.call(getTicket, open);
  const [, number = ""] = /^- \[ \] (WEB-\d+)\n- \[x\] Tag it$/.exec(description) ?? [];
  await page.getByRole("region", { name: "Description" }).getByRole("link", { name: number }).waitFor();
  await make("Tell everybody").click();
  await made.getByRole("link", { name: "Tell everybody" }).waitFor();
  await make("Tell everybody").waitFor({ state: "detached" });
  await until(async () =>
    /^- \[ \] WEB-\d+$/.test((await mel.call(listComments, { ...open, query: {} })).comments[0]?.text ?? ""),
  );
  assert.deepEqual(problems, []);
});
