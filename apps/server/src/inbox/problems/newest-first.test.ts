import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { getEvent, listInboxes, listProblemEvents, searchCards, viewInbox } from "@lodge/contract/calls.generated";
import type { InboxFilter, InboxPage } from "@lodge/contract/dashboard/inbox";
import { timeOf } from "../../platform/uuid-time.ts";
import { type DashboardClient, signedIn } from "../../testing/dashboard-client.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { type Service, startService } from "../../testing/start-service.ts";
import { cutPartitions } from "../reports/cut-partitions.ts";
import { findRecentStart } from "./newest-first.ts";
import { readEvents } from "./read-events.ts";

const dayMs = 86_400_000;
const clock = movableClock();
let lodge: Service;
let ada: DashboardClient;
let appId: string;
let keyId: string;

/** Creates reports at offsets in days from now, reads them into the inbox, and returns their ids, newest first. */
async function report(envelope: object, days: readonly number[]): Promise<string[]> {
  const { rows } = await lodge.deps.pool.query<{ id: string }>(
    `with made as (
      insert into events (app_id, id, report_id, sdk_key_id, envelope, received_at)
      select $1, uuidv7(day * interval '1 day'), 'r', $2, convert_to($3, 'UTF8'), now() + day * interval '1 day'
      from unnest($4::float8[]) day returning app_id, id
    ) insert into unread_events (app_id, event_id) select app_id, id from made returning event_id as id`,
    [appId, keyId, JSON.stringify({ reportId: "r", ...envelope }), days],
  );
  while ((await readEvents(lodge.deps)).count > 0);
  return rows
    .map(({ id }) => id)
    .sort()
    .reverse();
}

// Eighteen days pass. Each day from the seventh on has its own partition.
before(async () => {
  lodge = await startService({ LODGE_ROLES: "api,dashboard", LODGE_LARGE_PROBLEM_RETENTION_DAYS: "10" }, { clock });
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [{ email: "ada@acme.test", name: "Ada", role: "owner" }],
    apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  });
  appId = apps[0]?.id ?? "";
  keyId = apps[0]?.keys[0]?.id ?? "";
  for (let day = 0; day <= 18; day++) {
    await cutPartitions(lodge.deps, 0);
    if (day < 18) clock.move(dayMs);
  }
  ada = await signedIn(lodge, "ada@acme.test");
});
after(() => lodge[Symbol.asyncDispose]());

const inbox = (query: InboxFilter) => ada.call(viewInbox, { params: { appId }, query });
const idsOf = ({ entries }: InboxPage) =>
  entries.map((entry) => (entry.type === "report" ? entry.event.id : entry.problem.id));

/** Everything that an inbox returns for a filter, page by page. */
async function readAll(filter: InboxFilter): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | undefined | null; cursor !== null; ) {
    const page = await inbox({ ...filter, ...(cursor !== undefined && { cursor }) });
    seen.push(...idsOf(page));
    cursor = page.nextCursor;
  }
  return seen;
}

const spread = (count: number, from: number, until: number) =>
  Array.from({ length: count }, (_, index) => from + ((until - from) * index) / count);

test("events in many partitions are listed as if they were in one", async () => {
  const since = await findRecentStart(lodge.deps.db, clock.now());
  assert.ok(timeOf(since) > clock.now().getTime() - 2 * dayMs, "the newest two partitions are read first");

  const old = await report({ kind: "feedback", title: "of yore, Quetzalcoatl" }, spread(40, 1, 6.5));
  assert.deepEqual(await readAll({}), old, "there are no recent reports");
  const lastAt = async () => {
    const { inboxes } = await ada.call(listInboxes, {});
    return Math.round(Date.parse(inboxes[0]?.lastReceivedAt ?? "") / 1_000);
  };
  const secondOf = (id = "") => Math.round(timeOf(id) / 1_000);
  assert.ok(Math.abs((await lastAt()) - secondOf(old[0])) <= 1);
  const { reports } = await ada.call(searchCards, { query: { text: "Quetzalcoatl" } });
  assert.deepEqual(
    reports.map(({ id }) => id),
    old.slice(0, 5),
  );

  const few = await report({ kind: "feedback", title: "seldom" }, spread(45, 8, 16));
  assert.deepEqual(await readAll({}), [...few, ...old], "the recent reports do not fill a page");

  const recent = await report({ kind: "question", title: "often, once in Quetzalcoatl" }, spread(120, 16.6, 17.9));
  const all = [...recent, ...few, ...old];
  assert.deepEqual(await readAll({}), all);
  assert.deepEqual(await readAll({ order: "frequent" }), all);
  assert.deepEqual(await readAll({ kind: "feedback" }), [...few, ...old]);
  assert.deepEqual(await readAll({ text: "Quetzalcoatl" }), [...recent, ...old]);
  assert.deepEqual(await readAll({ text: "quetzalcoatl", kind: "feedback" }), old);
  assert.deepEqual(await readAll({ text: "nowhere at all" }), []);
  const at = (day: number) => new Date(clock.now().getTime() + (day - 18) * dayMs).toISOString();
  const between = all.filter((id) => timeOf(id) >= Date.parse(at(5)) && timeOf(id) < Date.parse(at(9)));
  assert.ok(between.length > 10 && between.length < 30);
  assert.deepEqual(await readAll({ from: at(5), until: at(9) }), between);
  assert.deepEqual(
    await readAll({ from: at(5), until: at(9), text: "yore" }),
    between.filter((id) => old.includes(id)),
  );
  assert.ok(Math.abs((await lastAt()) - secondOf(recent[0])) <= 1);
});

test("the reports of a problem in many partitions are listed without gaps", async () => {
  const occurred = await report(
    { kind: "crash", error: { type: "E", message: "m" } },
    [...spread(30, 2, 12), ...spread(60, 17, 17.9)].map((day) => day + 0.01),
  );
  const [problem] = (await inbox({ show: "problems" })).entries;
  assert.ok(problem?.type === "problem");
  const params = { problemId: problem.problem.id };
  const first = await ada.call(listProblemEvents, { params, query: {} });
  const second = await ada.call(listProblemEvents, { params, query: { cursor: first.nextCursor ?? "" } });
  assert.deepEqual(
    [...first.events, ...second.events].map(({ id }) => id),
    occurred,
  );
  for (const at of [0, 1, 60, 89]) {
    const { newerEventId, olderEventId } = await ada.call(getEvent, { params: { eventId: occurred[at] ?? "" } });
    assert.deepEqual([newerEventId, olderEventId], [occurred[at - 1] ?? null, occurred[at + 1] ?? null]);
  }

  // Merge more hashes than are listed one by one.
  const others = [];
  for (let type = 0; type < 11; type++) {
    others.push(
      ...(await report({ kind: "crash", error: { type: `Other${type}`, message: "m" } }, [3.5, 17.3 + type / 100])),
    );
  }
  await lodge.deps.pool.query("update problem_hashes set problem_id = $1 where app_id = $2", [params.problemId, appId]);
  const { events } = await ada.call(listProblemEvents, { params, query: {} });
  const all = [...occurred, ...others].sort().reverse();
  assert.deepEqual(
    events.map(({ id }) => id),
    all.slice(0, 50),
  );
});
