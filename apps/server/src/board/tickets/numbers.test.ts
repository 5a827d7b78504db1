import assert from "node:assert/strict";
import { after, test } from "node:test";
import { changeTicket, deleteTicket, getTicket, viewBoard } from "@lodge/contract/calls.generated";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";
import { numberAllTickets } from "./number-tickets.ts";

const lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "10000" });
after(() => lodge[Symbol.asyncDispose]());

async function team() {
  const acme = await makeOrganisation(lodge);
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const file = async (title: string, secret = acme.tokens.web) =>
    `${(await lodge.fileTicket(secret, { title })).body.id}`;
  const numberOf = async (ticketId: string) => (await ada.call(getTicket, { params: { ticketId } })).number;
  const found = async (text: string) => {
    const { columns } = await ada.call(viewBoard, { params: { boardId: acme.web.inbox.id }, query: { text } });
    return columns.flatMap(({ cards }) => cards.map(({ title }) => title)).join(" ");
  };
  return { acme, ada, file, numberOf, found };
}

test("a project's tickets are numbered in filing order; each number is used once and never changes", async () => {
  const { acme, ada, file, numberOf } = await team();
  const [a, b] = [await file("A"), await file("B")];
  const mobile = await file("C", acme.tokens.mobile);
  assert.equal(await numberOf(b), "WEB-2", "the order of reading does not matter");
  assert.deepEqual([await numberOf(a), await numberOf(mobile)], ["WEB-1", "MOBILE-1"]);
  await ada.call(changeTicket, { params: { ticketId: a }, body: { archived: true } });
  await ada.call(deleteTicket, { params: { ticketId: b } });
  const { columns } = await ada.call(viewBoard, { params: { boardId: acme.web.inbox.id }, query: {} });
  assert.deepEqual(columns[0]?.cards, []);
  const next = await file("D");
  assert.equal(await numberOf(next), "WEB-3", "the number of a deleted ticket is not reused");
  const other = await team();
  assert.equal(await other.numberOf(await other.file("E")), "WEB-1");
});

test("with many people filing and reading at the same time, every ticket gets a unique number, and no number is skipped", async () => {
  const { acme, ada, file } = await team();
  const board = () => ada.call(viewBoard, { params: { boardId: acme.web.inbox.id }, query: {} });
  await Promise.all(Array.from({ length: 40 }, (_, index) => (index % 4 ? file(`${index}`) : board())));
  const { columns } = await board();
  const numbers = columns.flatMap(({ cards }) => cards.map(({ number }) => Number(number?.slice("WEB-".length))));
  assert.deepEqual(
    numbers.sort((a, b) => a - b),
    Array.from({ length: 30 }, (_, index) => index + 1),
  );
});

test("the worker numbers tickets that nobody opens, including those filed before numbers existed", async () => {
  const { acme, file, numberOf } = await team();
  const ids: string[] = [];
  for (let number = 0; number < 3; number++) ids.push(await file("t"));
  await lodge.deps.pool.query(
    `insert into tickets (organisation_id, id, column_id, position, title, author_name)
     select organisation_id, '01900000-0000-7000-8000-000000000000', column_id, position, 'Old', 'CI' from tickets
     where organisation_id = $1 and id = $2`,
    [acme.id, ids[0]],
  );
  await numberAllTickets(lodge.deps);
  const { rows } = await lodge.deps.pool.query(
    "select ticket_id from ticket_numbers where organisation_id = $1 order by number",
    [acme.id],
  );
  assert.deepEqual(
    rows.map((row: { ticket_id: string }) => row.ticket_id),
    ["01900000-0000-7000-8000-000000000000", ...ids],
  );
  assert.equal(await numberOf(ids[2] ?? ""), "WEB-4");
});

test("a board can be searched for a number, with or without the project's slug", async () => {
  const { file, numberOf, found } = await team();
  const ids = [await file("Alpha"), await file("Beta 1")];
  await numberOf(ids[0] ?? "");
  assert.equal(await found("web-1"), "Alpha");
  assert.equal(await found("WEB-2"), "Beta 1");
  assert.equal(await found("1"), "Beta 1 Alpha", "a number in a title is found, too");
  assert.equal(await found("ios-1"), "");
  assert.equal(await found("web-999999999"), "");
});
