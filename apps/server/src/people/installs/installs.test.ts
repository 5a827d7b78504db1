import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { changePlan, getUsage, strikeOutMonth } from "@lodge/contract/calls.generated";
import { signedIn } from "../../testing/dashboard-client.ts";
import { lodgedMain } from "../../testing/lodged-main.ts";
import { type Service, startService } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { setPlan } from "../organisations/set-plan.ts";
import { closeMonths } from "./close-months.ts";
import { noteInstalls } from "./note-installs.ts";

// Two installs a month are allowed. For each month: the requests, and the expected results.
type Month = {
  month: string;
  /** Installs that send a report, in this order, all on the 10th at noon. */
  reports?: string[];
  /** Installs whose SDK asks for its configuration, after the reports. */
  configs?: string[];
  /**
   * The expected answer to a report in the first and in the last millisecond of the month, sent without an installId.
   */
  first: Expected;
  last: Expected;
};
type Expected = "accepted" | `since ${string}`;

const year: Month[] = [
  { month: "2026-01", reports: ["a", "b", "c"], first: "accepted", last: "accepted" }, // over
  { month: "2026-02", reports: ["a", "b", "c", "d"], first: "accepted", last: "accepted" }, // over
  { month: "2026-03", reports: ["a", "b", "c"], first: "accepted", last: "since 2026-03-10" }, // over again
  { month: "2026-04", configs: ["a", "b", "c"], first: "since 2026-03-10", last: "since 2026-03-10" }, // still over
  { month: "2026-05", configs: ["a", "b"], first: "since 2026-03-10", last: "since 2026-03-10" }, // within
  { month: "2026-06", reports: ["a", "b", "c"], first: "accepted", last: "accepted" }, // over
  { month: "2026-07", reports: ["a"], first: "accepted", last: "accepted" }, // within
  { month: "2026-08", reports: ["a", "b", "c"], first: "accepted", last: "accepted" }, // over
  { month: "2026-09", configs: ["a", "b", "c"], first: "accepted", last: "accepted" }, // over, from configs alone
  { month: "2026-10", reports: ["a", "b"], configs: ["c"], first: "accepted", last: "since 2026-10-10" }, // over again
  { month: "2026-11", first: "since 2026-10-10", last: "since 2026-10-10" }, // no installs: within
  { month: "2026-12", reports: ["a", "b", "c"], first: "accepted", last: "accepted" },
];

const walk = async (task: "never" | "first thing in a month" | "last thing in a month") => {
  const { clock, set } = clockAt("2026-01-01T00:00:00Z");
  await using lodge = await startService({}, { clock });
  const key = await makeApp(lodge, { monthlyInstallLimit: 2 });
  const neighbour = await lodge.apply({
    organisation: { name: "Umbra", slug: "umbra", monthlyInstallLimit: 7 },
    apps: [{ name: "iOS", slug: "ios", keys: ["default"] }],
  });
  const neighboursKey = neighbour.apps[0]?.keys[0]?.key ?? "";
  for (const { month, reports = [], configs = [], first, last } of year) {
    const next = nextMonth(month);
    set(`${month}-01T00:00:00.000Z`);
    if (task === "first thing in a month") await closeMonths(lodge.deps);
    assert.equal(await outcome(lodge, key, { reportId: `${month} first` }), first, `${month}, first`);
    set(`${month}-10T12:00:00.000Z`);
    for (const installId of reports) {
      assert.equal(await outcome(lodge, key, { reportId: `${month} ${installId}`, installId }), "accepted", month);
    }
    for (const installId of "abcdefg") await getConfig(lodge, neighboursKey, installId);
    for (const installId of configs) assert.equal(await getConfig(lodge, key, installId), 200);
    set(`${next}-01T00:00:00.000Z`, -1);
    if (task === "last thing in a month") await closeMonths(lodge.deps);
    assert.equal(await outcome(lodge, key, { reportId: `${month} last` }), last, `${month}, last`);
  }
  return auditLog(lodge);
};

const numbers = (month: string, installs: number) => ({ month, installs, limit: 2 });
const yearsAudit = [
  {
    kind: "ingestion.suspended",
    at: "2026-03-10T12:00:00.000Z",
    details: { since: "2026-03-10", months: [numbers("2026-01", 3), numbers("2026-02", 4), numbers("2026-03", 3)] },
  },
  {
    kind: "ingestion.suspension_prolonged",
    at: "2026-04-10T12:00:00.000Z",
    details: { since: "2026-03-10", months: [numbers("2026-02", 4), numbers("2026-03", 3), numbers("2026-04", 3)] },
  },
  {
    kind: "ingestion.resumed",
    at: "2026-06-01T00:00:00.000Z",
    details: { since: "2026-03-10", reason: "month_within_limit", months: [numbers("2026-05", 2)] },
  },
  {
    kind: "ingestion.suspended",
    at: "2026-10-10T12:00:00.000Z",
    details: { since: "2026-10-10", months: [numbers("2026-08", 3), numbers("2026-09", 3), numbers("2026-10", 3)] },
  },
  {
    kind: "ingestion.resumed",
    at: "2026-12-01T00:00:00.000Z",
    details: { since: "2026-10-10", reason: "month_within_limit", months: [numbers("2026-11", 0)] },
  },
];

for (const task of ["never", "first thing in a month", "last thing in a month"] as const) {
  test(`a year has the same suspensions with the monthly task running ${task}`, async () => {
    assert.deepEqual(await walk(task), yearsAudit);
  });
}

test("a suspended organisation's reports are refused unread and unstored, and config still works", async () => {
  const { lodge, key, set } = await suspended();
  await using _ = lodge;
  set("2026-03-20T00:00:00Z");
  const config = await lodge.request("GET", "/api/config", { headers: bearer(key) });
  assert.equal(config.status, 200);
  const before = await countEvents(lodge);
  const refused = await lodge.request("POST", "/api/ingest", {
    headers: { ...bearer(key), "content-type": "text/nonsense" },
    body: "nothing that could be read",
  });
  assert.equal(refused.status, 403);
  const { message, docs, ...body } = refused.body;
  assert.ok(`${docs}`.endsWith("#org_suspended"));
  assert.deepEqual(body, { error: "org_suspended", reason: "over_allowance", since: "2026-03-10" });
  assert.equal(typeof message, "string");
  assert.equal((await submit(lodge, key, { reportId: "2026-01 a" })).status, 403, "a duplicate is refused as well");
  assert.equal(await countEvents(lodge), before);
  const counted = () => lodge.deps.db.selectFrom("refusals").select(["code", "count"]).execute();
  await until(async () => Number((await counted())[0]?.count) === 2);
  assert.deepEqual(await counted(), [{ code: "org_suspended", count: 2 }]);
});

test("a larger plan ends a suspension immediately, and the months before it no longer count", async () => {
  const { lodge, key, set } = await suspended();
  await using _ = lodge;
  set("2026-03-20T00:00:00Z");
  assert.equal(await outcome(lodge, key, { reportId: "1" }), "since 2026-03-10");
  const { plan, monthlyInstallLimit } = await setPlan(lodge.deps, "acme", "team");
  assert.deepEqual([plan, monthlyInstallLimit], ["team", 10_000], "the lower own limit is cleared");
  await makeApp(lodge, { monthlyInstallLimit: 2 });
  assert.equal(await outcome(lodge, key, { reportId: "2", installId: "e" }), "accepted");
  assert.equal(await outcome(lodge, key, { reportId: "3", installId: "f" }), "accepted");
  for (const [month, last] of [
    ["2026-04", "accepted"], // March was over the limit, February no longer counts
    ["2026-05", "since 2026-05-10"],
  ] as const) {
    set(`${month}-10T00:00:00Z`);
    await fill(lodge, key, month, 3);
    assert.equal(await outcome(lodge, key, { reportId: month }), last, month);
  }
});

test("a higher limit ends a suspension immediately, and a lower one can cause it", async () => {
  const { lodge, key, set } = await suspended();
  await using _ = lodge;
  set("2026-03-20T08:00:00Z");
  await makeApp(lodge, { monthlyInstallLimit: 4 });
  assert.equal(await outcome(lodge, key, { reportId: "1" }), "accepted");
  assert.deepEqual((await auditLog(lodge)).slice(-2), [
    {
      kind: "allowance.changed",
      at: "2026-03-20T08:00:00.000Z",
      details: { from: { plan: "free", limit: 2 }, to: { plan: "free", limit: 4 }, month: "2026-03", installs: 3 },
    },
    {
      kind: "ingestion.resumed",
      at: "2026-03-20T08:00:00.000Z",
      details: { since: "2026-03-10", reason: "upgrade", limit: 4 },
    },
  ]);

  for (const month of ["2026-04", "2026-05", "2026-06"]) {
    set(`${month}-10T00:00:00Z`);
    await fill(lodge, key, month, month === "2026-06" ? 4 : 5);
    assert.equal(await outcome(lodge, key, { reportId: month }), "accepted", month);
  }
  set("2026-06-15T00:00:00Z");
  await makeApp(lodge, { monthlyInstallLimit: 3 });
  assert.equal(await outcome(lodge, key, { reportId: "lower" }), "since 2026-06-15");
});

test("the limit of a month is the one in force when it ended", async () => {
  const { clock, set } = clockAt("2026-01-10T00:00:00Z");
  await using lodge = await startService({}, { clock });
  const key = await makeApp(lodge, { monthlyInstallLimit: 5 });
  for (const month of ["2026-01", "2026-02"]) {
    set(`${month}-10T00:00:00Z`);
    await fill(lodge, key, month, 3);
  }
  set("2026-03-05T00:00:00Z");
  await makeApp(lodge, { monthlyInstallLimit: 2 });
  await fill(lodge, key, "2026-03", 3);
  assert.equal(await outcome(lodge, key, { reportId: "1" }), "accepted", "January and February were within 5");
});

test("if many requests in many processes cross the limit together, exactly one suspends", async () => {
  const { clock, set } = clockAt("2026-01-10T00:00:00Z");
  await using first = await startService({}, { clock });
  await using second = await startService(first.env, { clock });
  const key = await makeApp(first, { monthlyInstallLimit: 10 });
  for (const month of ["2026-01", "2026-02"]) {
    set(`${month}-10T00:00:00Z`);
    await fill(first, key, month, 11);
  }
  set("2026-03-10T00:00:00Z");
  const installs = Array.from({ length: 40 }, (_, index) => `install ${index}`);
  await Promise.all([
    ...installs.map((installId, index) => getConfig(index % 2 ? first : second, key, installId)),
    ...installs.map((installId, index) => getConfig(index % 2 ? second : first, key, installId)),
    closeMonths(first.deps),
    closeMonths(second.deps),
  ]);
  assert.equal(await outcome(first, key, { reportId: "1" }), "since 2026-03-10");
  const [entry, ...more] = await auditLog(first);
  assert.deepEqual(more, []);
  assert.equal(entry?.kind, "ingestion.suspended");
  assert.deepEqual((entry?.details.months as unknown[] | undefined)?.at(-1), {
    month: "2026-03",
    installs: 11,
    limit: 10,
  });
  assert.equal(await countedInstalls(first, "2026-03"), 40);
});

test("many requests and tasks after the end of a suspension record the end once", async () => {
  const { lodge, key, set, clock } = await suspended();
  await using first = lodge;
  await using second = await startService(first.env, { clock });
  set("2026-07-01T00:00:00Z");
  const processes = [first, second];
  await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const process = processes[index % 2] ?? first;
      if (index < 4) return closeMonths(process.deps);
      assert.equal(await outcome(process, key, { reportId: `after ${index}` }), "accepted");
    }),
  );
  assert.deepEqual(
    (await auditLog(first)).map(({ kind, at }) => [kind, at]),
    [
      ["ingestion.suspended", "2026-03-10T12:00:00.000Z"],
      ["ingestion.resumed", "2026-05-01T00:00:00.000Z"],
    ],
  );
});

test("concurrent plan changes and installs do not deadlock, and the counts stay exact", async () => {
  const { lodge, key, set } = await suspended();
  await using _ = lodge;
  set("2026-04-10T00:00:00Z");
  const changes = (async () => {
    for (let limit = 20; limit < 40; limit++) await makeApp(lodge, { monthlyInstallLimit: limit % 2 ? limit : 1 });
  })();
  await Promise.all([
    changes,
    ...Array.from({ length: 100 }, (__, index) => getConfig(lodge, key, `install ${index}`)),
  ]);
  assert.equal(await countedInstalls(lodge, "2026-04"), 100);
});

test("an install counts once a month for each app, whatever characters its id has", async () => {
  const { clock, set } = clockAt("2026-01-10T00:00:00Z");
  await using lodge = await startService({}, { clock });
  const key = await makeApp(lodge, {});
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Android", slug: "android", keys: ["default"] }],
  });
  const other = apps[0]?.keys[0]?.key ?? "";
  const ids = ["a", "A", "a\u0000", "\ud800", "\ud801", "\ufffd", "é", "e\u0301", "x".repeat(100)];
  for (const [index, installId] of ids.entries()) {
    for (const attempt of [1, 2]) {
      assert.equal(await outcome(lodge, key, { reportId: `${index} ${attempt}`, installId }), "accepted");
    }
  }
  assert.equal(await countedInstalls(lodge, "2026-01"), ids.length);
  for (const installId of ["a", "A", "a\u0000", "\ufffd", "é"])
    assert.equal(await getConfig(lodge, key, installId), 200);
  assert.equal(await countedInstalls(lodge, "2026-01"), ids.length, "configuration and reports count the same install");
  await getConfig(lodge, other, "a");
  assert.equal(await countedInstalls(lodge, "2026-01"), ids.length + 1, "in another app it is another install");

  set("2026-02-01T00:00:00.000Z", -1);
  await getConfig(lodge, key, "late");
  assert.equal(await countedInstalls(lodge, "2026-01"), ids.length + 2);
  set("2026-02-01T00:00:00Z");
  assert.equal((await submit(lodge, key, { reportId: "0 1", installId: "a" })).body.idempotent, true);
  assert.equal(await countedInstalls(lodge, "2026-02"), 0, "a duplicate counts nothing");
  assert.equal((await submit(lodge, key, { reportId: "new", installId: "x".repeat(101) })).status, 400);
  assert.equal((await lodge.request("GET", "/api/config?installId=b")).status, 401);
  assert.equal((await lodge.request("GET", "/api/config?installId=", { headers: bearer(key) })).status, 400);
  assert.equal(await countedInstalls(lodge, "2026-02"), 0, "a refused request counts nothing");
});

test("a month's installs are deleted once the next month is over; the count is kept", async () => {
  const { clock, set } = clockAt("2026-01-10T00:00:00Z");
  await using lodge = await startService({}, { clock });
  const key = await makeApp(lodge, {});
  const months = ["2026-01", "2026-02", "2026-03", "2026-04"];
  for (const month of months) {
    set(`${month}-10T00:00:00Z`);
    await fill(lodge, key, month, 5);
    await closeMonths(lodge.deps);
    assert.equal(await countedInstalls(lodge, month), 5);
  }
  const kept = await lodge.deps.db.selectFrom("active_installs").select("month").distinct().orderBy("month").execute();
  assert.deepEqual(
    kept.map(({ month }) => month),
    ["2026-03-01", "2026-04-01"],
  );
  for (const month of months) assert.equal(await countedInstalls(lodge, month), 5);
});

test("an owner sees twelve months of usage and changes plan and limit; an upgrade clears a lower own limit", async () => {
  const { lodge, key, set } = await suspended();
  await using _ = lodge;
  set("2026-03-20T00:00:00Z");
  const { ada, grace, mel } = await people(lodge);
  const before = await mel.call(getUsage);
  assert.deepEqual(
    [before.plan, before.planLimit, before.ownLimit, before.limit, before.overBefore],
    ["free", 1_000, 2, 2, 2],
  );
  assert.deepEqual(before.suspension, { since: "2026-03-10", endsOn: "2026-05-01" });
  assert.deepEqual(
    [before.months.length, before.months[0]],
    [12, { month: "2025-04", installs: 0, limit: null, counts: "within" }],
  );
  assert.deepEqual(
    before.months.slice(-3).map(({ month, installs, limit, counts }) => [month, installs, limit, counts]),
    ["2026-01", "2026-02", "2026-03"].map((month) => [month, 3, 2, "over"]),
  );

  assert.equal((await grace("PATCH", "/usage", { plan: "team" })).status, 403, "admins cannot change the plan");
  const after = await ada.call(changePlan, { body: { plan: "team" } });
  assert.deepEqual([after.plan, after.ownLimit, after.limit, after.suspension], ["team", null, 10_000, null]);
  assert.deepEqual(
    after.months.slice(-3).map(({ counts }) => counts),
    ["forgiven", "forgiven", "within"],
  );
  for (const installId of ["x", "y", "z"])
    assert.equal(await outcome(lodge, key, { reportId: installId, installId }), "accepted", "not suspended again");
  const own = await ada.call(changePlan, { body: { monthlyInstallLimit: 20_000 } });
  assert.deepEqual([own.ownLimit, own.limit], [20_000, 20_000]);
  const kept = await ada.call(changePlan, { body: { plan: "business", monthlyInstallLimit: 50_000 } });
  assert.deepEqual([kept.plan, kept.ownLimit], ["business", 50_000], "an upgrade keeps a limit that the request sets");
  const cleared = await ada.call(changePlan, { body: { monthlyInstallLimit: null } });
  assert.deepEqual([cleared.ownLimit, cleared.limit], [null, 100_000]);
  assert.deepEqual((await auditLog(lodge)).at(-1)?.details.userName, "Ada");
  for (const body of [{ plan: "gold" }, { monthlyInstallLimit: -1 }, { credits: 1 }])
    assert.equal((await ada("PATCH", "/usage", body)).status, 400);
});

test("lodged apply resets an organisation's limit to its plan's", async () => {
  await using lodge = await startService();
  const organisation = { name: "Acme", slug: "acme" };
  const limitAfter = async (changes: object) => {
    await lodge.apply({ organisation: { ...organisation, ...changes } });
    const { monthly_install_limit } = await lodge.deps.db
      .selectFrom("organisations")
      .select("monthly_install_limit")
      .executeTakeFirstOrThrow();
    return monthly_install_limit;
  };
  assert.equal(await limitAfter({ monthlyInstallLimit: 7 }), 7);
  assert.equal(await limitAfter({}), 7);
  assert.equal(await limitAfter({ monthlyInstallLimit: null }), null);
  assert.equal(await limitAfter({ monthlyInstallLimit: 7 }), 7);
  assert.equal(await limitAfter({ plan: "team", monthlyInstallLimit: 7 }), 7, "the file sets both");
  assert.equal(await limitAfter({ plan: "business" }), null);
});

test("a month that an owner excludes no longer counts, and the suspension that depends on it ends", async () => {
  const { lodge, key, set } = await suspended();
  await using _ = lodge;
  set("2026-03-20T00:00:00Z");
  const { ada, grace } = await people(lodge);
  const strike = (month: string) => ada("POST", "/usage/strike-outs", { month, note: "Somebody invented installs" });
  assert.equal((await grace("POST", "/usage/strike-outs", { month: "2026-03", note: "x" })).status, 403);
  assert.equal((await strike("2026-3")).status, 400);
  assert.equal((await ada("POST", "/usage/strike-outs", { month: "2026-03", note: " " })).status, 400);
  const struck = await strike("2026-03");
  assert.deepEqual([struck.status, struck.body.suspension], [200, null], struck.text);
  assert.equal((await strike("2026-03")).body.error, "month_not_over");
  assert.equal((await strike("2025-12")).body.error, "month_not_over");
  const [first, second] = (await auditLog(lodge)).slice(-2);
  assert.deepEqual(
    [first?.kind, first?.details.note, first?.details.userName],
    ["month.struck_out", "Somebody invented installs", "Ada"],
  );
  assert.deepEqual([second?.kind, second?.details.reason], ["ingestion.resumed", "month_struck_out"]);

  await closeMonths(lodge.deps);
  await fill(lodge, key, "2026-03 again", 6);
  await closeMonths(lodge.deps);
  assert.equal(await outcome(lodge, key, { reportId: "1" }), "accepted", "the month stays excluded");
  for (const [month, last] of [
    ["2026-04", "accepted"],
    ["2026-05", "accepted"], // only April was over the limit and counts
    ["2026-06", "since 2026-06-10"],
  ] as const) {
    set(`${month}-10T00:00:00Z`);
    await fill(lodge, key, month, 3);
    assert.equal(await outcome(lodge, key, { reportId: month }), last, month);
  }
});

test("excluding a month that only prolonged a suspension restores its earlier end", async () => {
  const { lodge, key, set } = await suspended();
  await using _ = lodge;
  set("2026-04-10T00:00:00Z");
  for (const installId of ["a", "b", "c"]) await getConfig(lodge, key, installId);
  const { ada } = await people(lodge);
  assert.equal((await ada.call(getUsage)).suspension?.endsOn, "2026-06-01");
  const note = "Invented";
  const shortened = await ada.call(strikeOutMonth, { body: { month: "2026-04", note } });
  assert.deepEqual(shortened.suspension, { since: "2026-03-10", endsOn: "2026-05-01" });
  assert.equal(await outcome(lodge, key, { reportId: "1" }), "since 2026-03-10");
  assert.equal((await ada.call(strikeOutMonth, { body: { month: "2026-02", note } })).suspension, null);
  assert.equal(await outcome(lodge, key, { reportId: "2" }), "accepted");
});

test("a day with many more new installs than a month before is shown as unusual, with the keys that brought them", async () => {
  const { clock, set } = clockAt("2026-01-01T12:00:00Z");
  await using lodge = await startService({}, { clock });
  const key = await makeApp(lodge, { monthlyInstallLimit: 100 });
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "iOS", slug: "ios", keys: ["default", "shop"] }],
  });
  const [usualKey, shop] = apps[0]?.keys ?? [];
  const come = async (day: string, installs: number, by = key) => {
    set(`${day}T23:59:00Z`);
    for (let count = 0; count < installs; count++) await getConfig(lodge, by, `${by} ${day} ${count}`);
    await noteInstalls(lodge.deps);
  };
  await come("2026-01-01", 20);
  await come("2026-01-12", 3);
  const { ada } = await people(lodge);
  await come("2026-02-01", 30);
  await come("2026-02-12", 9);
  await come("2026-02-13", 4);
  await come("2026-02-13", 10, shop?.key);
  await come("2026-02-13", 10, shop?.key); // already seen
  set("2026-02-14T12:00:00Z");
  await fill(lodge, key, "2026-02", 12);
  await noteInstalls(lodge.deps);
  set("2026-02-15T08:00:00Z");
  await getConfig(lodge, key, "one");
  const { ada: later } = await people(lodge);
  assert.equal((await ada("GET", "/usage")).status, 401, "the earlier session has expired");
  const app = { id: apps[0]?.id, name: "iOS" };
  const byDefault = { id: usualKey?.id, name: "default", revokedAt: null, app };
  const byShop = { id: shop?.id, name: "shop", revokedAt: null, app };
  assert.deepEqual((await later.call(getUsage)).unusualDays, [
    {
      day: "2026-02-13",
      installs: 14,
      usual: 3,
      keys: [
        { ...byShop, installs: 10 },
        { ...byDefault, installs: 4 },
      ],
    },
    { day: "2026-02-14", installs: 12, usual: 0, keys: [{ ...byDefault, installs: 12 }] },
  ]);
});

test("lodged plan set reports unknown organisations and plans", async () => {
  await using lodge = await startService();
  await makeApp(lodge, {});
  const unknown = lodged(lodge, ["plan", "set", "nobody", "team"]);
  assert.equal(unknown.status, 1);
  assert.match(unknown.stderr, /There is no organisation "nobody"/);
  const plan = lodged(lodge, ["plan", "set", "acme", "gold"]);
  assert.equal(plan.status, 1);
  assert.match(plan.stderr, /There is no plan "gold"\. The plans are free, team, business\./);
  const set = lodged(lodge, ["plan", "set", "acme", "business"]);
  assert.equal((JSON.parse(set.stdout) as { monthlyInstallLimit: number }).monthlyInstallLimit, 100_000);
  assert.deepEqual(
    (await auditLog(lodge)).map(({ kind, details }) => [kind, details.from, details.to]),
    [["allowance.changed", { plan: "free", limit: 1_000 }, { plan: "business", limit: 100_000 }]],
  );
});

function clockAt(time: string) {
  let now = new Date(time);
  return {
    clock: { now: () => now },
    set: (to: string, plusMs = 0) => {
      now = new Date(new Date(to).getTime() + plusMs);
    },
  };
}

function nextMonth(month: string): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + 1);
  return date.toISOString().slice(0, 7);
}

/** Acme with an app and, if given, its own limit. Returns the app's SDK key. */
async function makeApp(lodge: Service, limit: { monthlyInstallLimit?: number }): Promise<string> {
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme", ...limit },
    apps: [{ name: "iOS", slug: "ios", keys: ["default"] }],
  });
  return apps[0]?.keys[0]?.key ?? "";
}

/** People of Acme who have just signed in. */
async function people(lodge: Service) {
  await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [
      { email: "ada@acme.test", name: "Ada", role: "owner" },
      { email: "grace@acme.test", name: "Grace", role: "admin" },
      { email: "mel@acme.test", name: "Mel", role: "member" },
    ],
  });
  const as = (name: string) => signedIn(lodge, `${name}@acme.test`);
  return { ada: await as("ada"), grace: await as("grace"), mel: await as("mel") };
}

/** A service whose organisation was over the limit in January and February and is suspended since 10 March 2026. */
async function suspended() {
  const { clock, set } = clockAt("2026-01-10T12:00:00Z");
  await using started = new AsyncDisposableStack();
  const lodge = started.use(await startService({}, { clock }));
  const key = await makeApp(lodge, { monthlyInstallLimit: 2 });
  for (const month of ["2026-01", "2026-02", "2026-03"]) {
    set(`${month}-10T12:00:00Z`);
    await fill(lodge, key, month, 3);
  }
  started.move(); // the caller disposes of it
  return { lodge, key, set, clock };
}

/** Reports from `installs` installs. */
async function fill(lodge: Service, key: string, month: string, installs: number) {
  for (const installId of "abcdefghijklmnop".slice(0, installs)) {
    assert.equal(await outcome(lodge, key, { reportId: `${month} ${installId}`, installId }), "accepted");
  }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

function submit(lodge: Service, key: string, envelope: { reportId: string; installId?: string }) {
  // JSON.stringify writes an unpaired surrogate as an escape, which is what an SDK would send.
  const body = `--x\r\ncontent-disposition: form-data; name="envelope"\r\n\r\n${JSON.stringify(envelope)}\r\n--x--\r\n`;
  const headers = { ...bearer(key), "content-type": "multipart/form-data; boundary=x" };
  return lodge.request("POST", "/api/ingest", { headers, body });
}

async function outcome(lodge: Service, key: string, envelope: { reportId: string; installId?: string }) {
  const { status, body, text } = await submit(lodge, key, envelope);
  if (status === 200) return "accepted";
  assert.equal(status, 403, text);
  return `since ${body.since}`;
}

async function getConfig(lodge: Service, key: string, installId: string): Promise<number> {
  const path = `/api/config?installId=${encodeURIComponent(installId)}`;
  return (await lodge.request("GET", path, { headers: bearer(key) })).status;
}

async function auditLog(lodge: Service) {
  const entries = await lodge.deps.db
    .selectFrom("audit_entries")
    .select(["kind", "at", "details"])
    .orderBy("at")
    .orderBy("id")
    .execute();
  return entries.map(({ kind, at, details }) => ({
    kind,
    at: new Date(at as never).toISOString(),
    details: details as Record<string, unknown>,
  }));
}

/** The number of counted installs, over all counter rows. */
async function countedInstalls(lodge: Service, month: string): Promise<number> {
  const { rows } = await lodge.deps.pool.query<{ installs: number }>(
    `select coalesce(sum(installs), 0)::integer as installs from (
      select installs, month from allowance_months union all select installs, month from install_counts
    ) counters where month = $1`,
    [`${month}-01`],
  );
  return rows[0]?.installs ?? 0;
}

async function countEvents(lodge: Service): Promise<number> {
  const { count } = await lodge.deps.db
    .selectFrom("events")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow();
  return count;
}

/** Runs a command on a service's database, at the service's time. */
function lodged(lodge: Service, args: string[]) {
  return spawnSync(process.execPath, [lodgedMain(), ...args], {
    encoding: "utf8",
    env: { ...process.env, ...lodge.env, LODGE_SECRET: "a secret that only the tests know, long enough" },
  });
}
