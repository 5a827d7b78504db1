import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import type { Figures, Insights } from "@lodge/contract/dashboard/insights";
import type { Insertable } from "kysely";
import type { DB } from "../../platform/database/database.generated.ts";
import { signedIn, twoOrganisations } from "../../testing/dashboard-client.ts";
import { type Service, startService } from "../../testing/start-service.ts";

const hour = 3_600;
const wednesday = { now: () => new Date("2026-03-11T12:00:00Z") };
const none = [0, 0, 0, 0, 0];

/** Acme's board, onto which `add` puts the given cards. */
async function world(lodge: Service) {
  const { acme, umbra } = await twoOrganisations(lodge);
  const [web, mobile] = acme.projects;
  const board = web?.boards[0];
  const mel = await signedIn(lodge, "mel@acme.test");
  const add = async (...cards: Partial<Insertable<DB["tickets"]>>[]) => {
    const common = {
      organisation_id: acme.organisation.id,
      column_id: board?.columns[0]?.id ?? "",
      author_name: "Mel",
    };
    const rows = cards.map((card, index) => ({ ...common, position: `f${index}`, title: "A card", ...card }));
    for (const row of rows) await lodge.deps.db.insertInto("tickets").values(row).execute();
  };
  const insights = async (query = "") => {
    const { status, text } = await mel("GET", `/boards/${board?.id}/insights${query}`);
    assert.equal(status, 200, text);
    return JSON.parse(text) as Insights;
  };
  return { acme, umbra, web, mobile, board, mel, add, insights };
}

const figuresOf = ({ created, done, cycleTime, openByAge }: Figures) => [
  created,
  done,
  cycleTime && [cycleTime.medianSeconds, cycleTime.p90Seconds],
  openByAge.join(" "),
];

test("a board without cards has empty weeks, from Monday to Monday in UTC", async () => {
  await using lodge = await startService({}, { clock: wednesday });
  const { insights } = await world(lodge);
  const { weeks, ...rest } = await insights();
  assert.equal(weeks.length, 12);
  assert.deepEqual(weeks[0], { startsOn: "2025-12-22", created: 0, done: 0, cycleTime: null });
  assert.equal(weeks.at(-1)?.startsOn, "2026-03-09");
  assert.deepEqual(rest, {
    ageBoundsDays: [1, 7, 30, 90],
    total: { created: 0, done: 0, cycleTime: null, openByAge: none },
    authors: [],
    otherAuthors: null,
    labels: [],
    otherLabels: null,
    unlabelled: null,
  });
  const longer = (await insights("?weeks=26")).weeks;
  assert.deepEqual([longer.length, longer[0]?.startsOn, longer.at(-1)?.startsOn], [26, "2025-09-15", "2026-03-09"]);
});

test("cards are counted in the weeks in which they were created and done, even if archived; open cards are counted by age", async () => {
  await using lodge = await startService({}, { clock: wednesday });
  const { web, mobile, add, insights } = await world(lodge);
  const doneAfter = (hours: number, more = {}) => ({
    created_at: "2026-03-03T00:00:00Z",
    done_at: new Date(Date.parse("2026-03-03T00:00:00Z") + hours * hour * 1000),
    ...more,
  });
  await add(
    ...[1, 2, 3, 4].map((hours) => doneAfter(hours)),
    doneAfter(10, { archived_at: "2026-03-10T00:00:00Z", priority: "high" }),
    { created_at: "2025-12-21T23:59:59Z", done_at: "2025-12-22T00:00:00Z" },
    { created_at: "2025-12-20T00:00:00Z", done_at: "2025-12-21T23:59:59Z" }, // before the first week
    { created_at: "2026-03-08T23:59:59.999Z" },
    { created_at: "2026-03-09T00:00:00Z" },
    { created_at: "2026-03-11T11:00:00Z" },
    { created_at: "2025-11-01T00:00:00Z" },
    { created_at: "2026-03-09T01:00:00Z", archived_at: "2026-03-10T00:00:00Z" }, // neither open nor done
    {
      created_at: "2026-03-09T01:00:00Z",
      column_id: null,
      deleted_at: "2026-03-10T00:00:00Z",
      deleted_by: "Mel",
      deleted_project_id: web?.id ?? "",
    },
    { created_at: "2026-03-09T01:00:00Z", column_id: mobile?.boards[0]?.columns[0]?.id ?? "" },
  );
  const { weeks, total, ...rest } = await insights();
  assert.deepEqual(
    weeks.filter(({ created, done }) => created + done > 0),
    [
      { startsOn: "2025-12-22", created: 0, done: 1, cycleTime: { medianSeconds: 1, p90Seconds: 1 } },
      {
        startsOn: "2026-03-02",
        created: 6,
        done: 5,
        cycleTime: { medianSeconds: 3 * hour, p90Seconds: 7.6 * hour },
      },
      { startsOn: "2026-03-09", created: 3, done: 0, cycleTime: null },
    ],
  );
  assert.deepEqual(figuresOf(total), [9, 6, [2.5 * hour, 7 * hour], "1 2 0 0 1"]);
  assert.deepEqual(rest.unlabelled, total);
  assert.equal((await insights("?weeks=26")).total.done, 7);
});

test("a reopened card counts as open, and counts as done when it is done again", async () => {
  await using lodge = await startService({}, { clock: wednesday });
  const { board, mel, insights } = await world(lodge);
  const [backlog, , done] = board?.columns ?? [];
  await mel("PATCH", `/columns/${done?.id}`, { isDone: true });
  const { body: card } = await mel("POST", "/tickets", { columnId: backlog?.id, title: "Twice" });
  const move = (columnId?: string) => mel("POST", `/tickets/${card.id}/move`, { columnId, belowTicketId: null });
  const figures = async () => {
    const { total } = await insights();
    return [total.done, total.openByAge.reduce((sum, cards) => sum + cards)];
  };
  assert.deepEqual(await figures(), [0, 1]);
  await move(done?.id);
  assert.deepEqual(await figures(), [1, 0]);
  await move(backlog?.id);
  assert.deepEqual(await figures(), [0, 1]);
  await move(done?.id);
  assert.deepEqual(await figures(), [1, 0]);
});

test("insights are broken down by author and by label: the ten with the most cards created are listed by name, the others are added up", async () => {
  await using lodge = await startService({}, { clock: wednesday });
  const { acme, mel, add, insights } = await world(lodge);
  const created_at = "2026-03-10T00:00:00Z";
  const done_at = "2026-03-10T02:00:00Z";
  const token = acme.tokens[0];
  const { body: session } = await mel("GET", "/session");
  const melId = (session.user as { id: string }).id;
  await add(
    ...[1, 2, 3].map(() => ({ author_token_id: token?.id ?? "", author_name: "Its name then", created_at })),
    { author_user_id: melId, author_name: "Melanie", labels: ["bug", "ui"], created_at, done_at },
    { author_user_id: melId, author_name: "Melanie", labels: ["bug"], created_at },
    { app_id: randomUUID(), event_id: randomUUID(), author_name: "An app", labels: ["bug"], created_at, done_at },
    // Authors who were deleted, so that there are more than ten authors and labels.
    ...Array.from({ length: 10 }, (_, index) => ({ author_name: `Gone ${index}`, labels: [`l${index}`], created_at })),
    {
      author_name: "Gone 9",
      labels: ["l8", "l9"],
      created_at: "2026-01-01T00:00:00Z",
      done_at: "2026-01-01T01:00:00Z",
    },
  );
  const { authors, otherAuthors, labels, otherLabels, unlabelled, total } = await insights();
  assert.deepEqual(
    authors.map(({ kind, id, name, ...figures }) => [kind, name, id !== null, ...figuresOf(figures)]),
    [
      ["token", "CI", true, 3, 0, null, "0 3 0 0 0"],
      ["person", "Gone 9", false, 2, 1, [hour, hour], "0 1 0 0 0"],
      ["person", "Mel Acme", true, 2, 1, [2 * hour, 2 * hour], "0 1 0 0 0"],
      ["app", "An app", true, 1, 1, [2 * hour, 2 * hour], "0 0 0 0 0"],
      ...[0, 1, 2, 3, 4, 5].map((index) => ["person", `Gone ${index}`, false, 1, 0, null, "0 1 0 0 0"]),
    ],
  );
  assert.deepEqual(otherAuthors && figuresOf(otherAuthors), [3, 0, null, "0 3 0 0 0"]);
  assert.deepEqual(
    labels.map(({ name, ...figures }) => [name, ...figuresOf(figures)]),
    [
      ["bug", 3, 2, [2 * hour, 2 * hour], "0 1 0 0 0"],
      ["l8", 2, 1, [hour, hour], "0 1 0 0 0"],
      ["l9", 2, 1, [hour, hour], "0 1 0 0 0"],
      ["ui", 1, 1, [2 * hour, 2 * hour], "0 0 0 0 0"],
      ...[0, 1, 2, 3, 4, 5].map((index) => [`l${index}`, 1, 0, null, "0 1 0 0 0"]),
    ],
  );
  assert.deepEqual(otherLabels && figuresOf(otherLabels), [2, 0, null, "0 2 0 0 0"]);
  assert.deepEqual(unlabelled && figuresOf(unlabelled), [3, 0, null, "0 3 0 0 0"]);
  assert.deepEqual(figuresOf(total), [17, 3, [2 * hour, 2 * hour], "0 14 0 0 0"]);

  await lodge.deps.db
    .insertInto("label_changes")
    .values({ organisation_id: acme.organisation.id, name: "ui", becomes: "bug" })
    .execute();
  const merged = await insights();
  assert.deepEqual(
    merged.labels.slice(0, 4).map(({ name, created }) => [name, created]),
    [
      ["bug", 3],
      ["l8", 2],
      ["l9", 2],
      ["l0", 1],
    ],
  );
});

test("only members of the organisation see a board's insights, and weeks must be 12 or 26", async () => {
  await using lodge = await startService({}, { clock: wednesday });
  const { umbra, mel, add, insights } = await world(lodge);
  await add({ created_at: "2026-03-10T00:00:00Z" });
  const eve = await signedIn(lodge, "eve@umbra.test");
  const theirs = umbra.projects[0]?.boards[0]?.id;
  assert.equal((await mel("GET", `/boards/${theirs}/insights`)).body.error, "board_not_found");
  const seen = (await eve("GET", `/boards/${theirs}/insights`)).body as unknown as Insights;
  assert.deepEqual([seen.total.created, (await insights()).total.created], [0, 1]);
  const refused = await mel("GET", `/boards/${randomUUID()}/insights?weeks=13`);
  assert.deepEqual([refused.status, refused.body.error], [400, "invalid_input"]);
  assert.match(JSON.stringify(refused.body), /\/weeks/);
});
