import assert from "node:assert/strict";
import { after, test } from "node:test";
import { changeTickets, createBoard, deleteTickets, listBoardCards, viewBoard } from "@lodge/contract/calls.generated";
import {
  type BoardCardQuery,
  type Card,
  type ListGroup,
  listGroups,
  listSorts,
} from "@lodge/contract/dashboard/boards";
import { sql } from "kysely";
import { signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { startService } from "../../testing/start-service.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const { acme } = await twoOrganisations(lodge);
const ada = await signedIn(lodge, "ada@acme.test");
const people = acme.members.map(({ id }) => id);

/**
 * A board with 130 cards in the first column and 120 in the second. In every sort order, many cards have equal sort keys.
 */
async function makeBoard() {
  const projectId = acme.projects[0]?.id ?? "";
  const { id: boardId } = await ada.call(createBoard, { body: { projectId, name: "Board" } });
  const { columns } = await ada.call(viewBoard, { params: { boardId }, query: { cards: "none" } });
  const columnIds = columns.map(({ id }) => id);
  await sql`
    insert into tickets (organisation_id, column_id, position, title, author_name, author_user_id, priority, labels,
      assignee_user_id, due_at, created_at, updated_at, done_at)
    select ${acme.organisation.id}, (${columnIds}::uuid[])[1 + n / 130], 'f' || n % 90, 'Card ' || n,
      (array['ada', 'Grace', 'Mel'])[1 + n % 3], (${people}::uuid[])[1 + n % 3],
      (array['none', 'low', 'medium', 'high'])[1 + n % 4],
      (array['{}', '{Bug}', '{bug,ui}', '{ui}'])[1 + n / 7 % 4]::text[], (${people}::uuid[])[1 + n / 5 % 4],
      case when n % 5 < 2 then date '2030-01-01' + n % 3 end, timestamptz '2026-01-01' + interval '1 hour' * (n % 6),
      timestamptz '2026-02-01' + interval '1 hour' * (n % 11), case when n % 10 = 9 then now() end
    from generate_series(0, 249) n`.execute(lodge.deps.db);
  const list = async (query: BoardCardQuery = {}) => {
    const pages = [];
    let cursor: string | null | undefined;
    do {
      const page = await ada.call(listBoardCards, {
        params: { boardId },
        query: { ...query, ...(cursor && { cursor }) },
      });
      pages.push(page);
      cursor = page.nextCursor;
    } while (cursor);
    return pages;
  };
  return { boardId, columnIds, list };
}

const ranks = ["high", "medium", "low", "none"];
type Key = string | number;

/**
 * The first card has the smallest key. Cards with equal keys are sorted by position (in the order `position`) and then ID,
 * greatest first.
 */
const sortKeys: Record<(typeof listSorts)[number], (card: Card, columnIds: string[]) => Key[]> = {
  createdAt: ({ createdAt }) => [-Date.parse(createdAt)],
  updatedAt: ({ updatedAt }) => [-Date.parse(updatedAt)],
  priority: ({ priority, updatedAt }) => [ranks.indexOf(priority), -Date.parse(updatedAt)],
  dueAt: ({ dueAt, createdAt, id }) => (dueAt ? [0, dueAt, id] : [1, -Date.parse(createdAt)]),
  position: ({ columnId }, columnIds) => [columnIds.indexOf(columnId)],
};
const groupKeys: Record<ListGroup, (card: Card, columnIds: string[]) => Key[]> = {
  column: ({ columnId }, columnIds) => [columnIds.indexOf(columnId)],
  priority: ({ priority }) => [ranks.indexOf(priority)],
  assignee: ({ assignee }) => (assignee ? [0, assignee.name.toLowerCase()] : [1]),
  label: ({ labels: [label] }) => (label ? [0, label.toLowerCase(), label] : [1]),
  author: ({ author }) => [author.name.toLowerCase()],
};
const groupOf: Record<ListGroup, (card: Card) => string> = {
  column: ({ columnId }) => columnId,
  priority: ({ priority }) => priority,
  assignee: ({ assignee }) => assignee?.id ?? "",
  label: ({ labels: [label] }) => label ?? "",
  author: ({ author }) => `${author.name}|${author.id}`,
};

function compare(keys: Key[], others: Key[]): number {
  const at = keys.findIndex((key, index) => key !== others[index]);
  const [key, other] = [keys[at], others[at]];
  return key === undefined || other === undefined ? 0 : key < other ? -1 : 1;
}

test("each order and grouping lists every card once, even if a page ends between cards with equal keys", async () => {
  const { columnIds, list } = await makeBoard();
  const all = (await list()).flatMap(({ cards }) => cards);
  assert.equal(new Set(all.map(({ id }) => id)).size, 250);
  for (const sort of listSorts) {
    for (const group of [undefined, ...listGroups]) {
      const combination = `${sort} by ${group}`;
      const keys = (card: Card) => [
        ...(group ? groupKeys[group](card, columnIds) : []),
        ...sortKeys[sort](card, columnIds),
      ];
      const sorted = all.toSorted(
        (card, other) =>
          compare(keys(card), keys(other)) ||
          (sort === "position" && compare([other.position], [card.position])) ||
          compare([other.id], [card.id]),
      );
      const pages = await list({ sort, ...(group && { group }) });
      assert.deepEqual(
        pages.map(({ cards }) => cards.length),
        [100, 100, 50],
        combination,
      );
      const listed = pages.flatMap(({ cards }) => cards);
      assert.deepEqual(
        listed.map(({ title }) => title),
        sorted.map(({ title }) => title),
        combination,
      );
      const isCounted = group && group !== "column"; // viewBoard counts the cards of each column
      const counted =
        isCounted && Object.fromEntries(pages[0]?.groups?.map(({ key, cardCount }) => [key, cardCount]) ?? []);
      const grouped = Map.groupBy(all, group ? groupOf[group] : () => "");
      const counts = isCounted && Object.fromEntries([...grouped].map(([key, { length }]) => [key, length]));
      assert.deepEqual(counted, counts, combination);
      assert.equal(pages[1]?.groups, undefined, combination);
    }
  }
});

test("the list and the counts of its groups are filtered as the board is", async () => {
  const { boardId, columnIds, list } = await makeBoard();
  const filters: [BoardCardQuery, (card: Card) => boolean][] = [
    [{ priority: "high" }, ({ priority }) => priority === "high"],
    [{ assignee: "none" }, ({ assignee }) => assignee === null],
    [{ label: "ui" }, ({ labels }) => labels.includes("ui")],
    [{ author: people[1] ?? "" }, ({ author }) => author.id === people[1]],
    [
      { dueFrom: "2030-01-02", open: "true" },
      ({ dueAt, doneAt }) => dueAt !== null && dueAt >= "2030-01-02" && !doneAt,
    ],
    [{ text: "CARD 24" }, ({ title }) => title.startsWith("Card 24")],
  ];
  const all = (await list()).flatMap(({ cards }) => cards);
  for (const [filter, passes] of filters) {
    const wanted = all.filter(passes);
    assert.ok(wanted.length > 0 && wanted.length < all.length);
    const sortedIds = (cards: Card[]) => cards.map(({ id }) => id).sort();
    for (const query of [
      {},
      { sort: "position" },
      { group: "priority" },
      { group: "author", sort: "dueAt" },
    ] as const) {
      const pages = await list({ ...filter, ...query });
      assert.deepEqual(sortedIds(pages.flatMap(({ cards }) => cards)), sortedIds(wanted), JSON.stringify(filter));
      const counted = pages[0]?.groups?.reduce((sum, { cardCount }) => sum + cardCount, 0) ?? wanted.length;
      assert.equal(counted, wanted.length);
    }
    const { columns } = await ada.call(viewBoard, { params: { boardId }, query: { ...filter, cards: "none" } });
    assert.deepEqual(
      columns.map(({ cards, cardCount, nextCursor }) => [cards.length, cardCount, nextCursor]),
      columnIds.map((id) => [0, wanted.filter(({ columnId }) => columnId === id).length, null]),
    );
  }
});

test("cards that change between pages are neither lost nor repeated, unless they move past the cursor", async () => {
  const { boardId, list } = await makeBoard();
  const page = (query: BoardCardQuery) => ada.call(listBoardCards, { params: { boardId }, query });
  for (const group of [undefined, "label"] as const) {
    const query = { sort: "createdAt", ...(group && { group }) } as const;
    const order = (await list(query)).flatMap(({ cards }) => cards);
    const first = await page(query);
    const [earlier, atCursor, next] = [order[50], order[99], order[100]].map((card) => card?.id ?? "");
    // Deletes the card at the cursor, archives an earlier one, and gives the next one a high priority.
    await ada.call(deleteTickets, { body: { ticketIds: [atCursor ?? ""] } });
    await ada.call(changeTickets, {
      body: {
        changes: [
          { ticketId: earlier ?? "", archived: true },
          { ticketId: next ?? "", priority: "high" },
        ],
      },
    });
    const second = await page({ ...query, cursor: first.nextCursor ?? "" });
    assert.deepEqual(
      second.cards.map(({ id }) => id),
      order.slice(100, 200).map(({ id }) => id),
    );
  }
  // Sorted by the last change, a card that changes moves to the top, and is not on a later page.
  const first = await page({ sort: "updatedAt" });
  const later = (await list({ sort: "updatedAt" })).slice(1).flatMap(({ cards }) => cards.map(({ id }) => id));
  await ada.call(changeTickets, { body: { changes: [{ ticketId: later[0] ?? "", labels: ["new"] }] } });
  const second = await page({ sort: "updatedAt", cursor: first.nextCursor ?? "" });
  assert.deepEqual(
    second.cards.map(({ id }) => id),
    later.slice(1, 101),
  );
});

test("a label that is being renamed groups its cards under its new name", async () => {
  const { list } = await makeBoard();
  const { db } = lodge.deps;
  const row = { organisation_id: acme.organisation.id, name: "Bug", becomes: "defect" };
  await db.insertInto("label_changes").values(row).execute();
  const [page] = await list({ group: "label" });
  await db.deleteFrom("label_changes").execute();
  assert.deepEqual(page?.groups?.map(({ key }) => key).sort(), ["", "bug", "defect", "ui"]);
  assert.deepEqual([...new Set(page?.cards.map(({ labels: [label] }) => label))].slice(0, 2), ["bug", "defect"]);
});

test("a cursor from another order or grouping, or one that the server did not make, is refused", async () => {
  const { boardId } = await makeBoard();
  const path = `/boards/${boardId}/cards`;
  const queries = ["sort=createdAt", "sort=dueAt", "sort=position", "group=column", "group=priority", "group=label"];
  const lists = await Promise.all(
    queries.map(async (query) => {
      const { body } = await ada("GET", `${path}?${query}`);
      return { query, cursor: encodeURIComponent(body.nextCursor as string) };
    }),
  );
  for (const { query } of lists) {
    for (const { query: other, cursor } of lists) {
      const { status, body } = await ada("GET", `${path}?${query}&cursor=${cursor}`);
      assert.equal(status, query === other ? 200 : 400, `${query} with the cursor of ${other}`);
      if (status === 400)
        assert.deepEqual([body.error, (body.details as { path: string }[])[0]?.path], ["invalid_input", "/cursor"]);
    }
    const forged = Buffer.from(JSON.stringify(["label.createdAt", "0", "\u0000", "x", "0", "0"])).toString("base64url");
    for (const cursor of ["", "~", "x~y", forged, `${forged}~`]) {
      assert.equal((await ada("GET", `${path}?${query}&cursor=${encodeURIComponent(cursor)}`)).status, 400, cursor);
    }
  }
  for (const query of ["sort=title", "group=due", "limit=5"]) {
    assert.equal((await ada("GET", `${path}?${query}`)).body.error, "invalid_input", query);
  }
});

test("only members of the organisation can list the cards of a board", async () => {
  const { boardId } = await makeBoard();
  const [mel, eve] = [await signedIn(lodge, "mel@acme.test"), await signedIn(lodge, "eve@umbra.test")];
  for (const query of ["", "?group=assignee"]) {
    assert.equal((await mel("GET", `/boards/${boardId}/cards${query}`)).status, 200);
    const { status, body } = await eve("GET", `/boards/${boardId}/cards${query}`);
    assert.deepEqual([status, body.error], [404, "board_not_found"]);
    assert.equal((await visitor(lodge)("GET", `/boards/${boardId}/cards${query}`)).status, 401);
  }
});
