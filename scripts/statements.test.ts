import assert from "node:assert/strict";
import { after, test } from "node:test";
import pg from "pg";
import { batchedStatement } from "../apps/server/src/platform/database/batched-statement.ts";
import {
  namedStatements,
  narrowed,
  preparedStatement,
  type Statement,
} from "../apps/server/src/platform/database/statements.ts";
import { testPostgres } from "../apps/server/src/testing/test-postgres.ts";
import { readCatalogue, refusedOf, understand } from "./distributable.ts";
import { problemsOf } from "./statements.ts";

const { host, user } = testPostgres();
const client = new pg.Client({ host, user, database: "postgres" });
await client.connect();
after(() => client.end());

const declared = (name: string): Statement => {
  const found = namedStatements().find((statement) => statement.name === name);
  assert.ok(found);
  return found;
};

test("a statement that returns its declared columns has no problems", async () => {
  preparedStatement({
    name: "right",
    parameters: { id: "uuid", names: "text[]", at: "timestamptz?" },
    row: { id: "uuid", count: "bigint", kind: narrowed<"a" | "b">("text?"), at: "timestamptz" },
    text: ({ id, names, at }) =>
      `select ${id} as id, count(*) as count, min(name) as kind, ${at} as at from unnest(${names}) name`,
  });
  batchedStatement({
    name: "right_together",
    columns: { key: "text", sha256: "bytea?" },
    carriesBytes: true,
    row: { found: "bytea?" },
    text: (request, bytes) => `select n, ${bytes} || sha256 as found from ${request}`,
  });
  assert.deepEqual(await problemsOf(client, declared("right")), []);
  assert.deepEqual(await problemsOf(client, declared("right_together")), []);
});

test("missing, undeclared, mistyped, repeated and camelCase columns are reported", async () => {
  const statement: Statement = {
    name: "wrong",
    text: "select 1 as one, 'b' as two, now() as three, 4 as four, 4 as four, 6 as \"numberSix\"",
    parameters: {},
    row: { one: "bigint", three: "timestamptz", four: "integer", five: "text", numberSix: "integer" },
  };
  assert.deepEqual(await problemsOf(client, statement), [
    "wrong returns numberSix, which is not in snake_case",
    "wrong declares five, and returns none",
    "wrong returns four more than once",
    "wrong declares one as bigint, and returns integer",
    "wrong returns two, and does not declare it",
  ]);
});

test("a schema name in a statement is reported, since a cell may have another schema", async () => {
  await client.query("create table if not exists public.here (id uuid)");
  const statement: Statement = { name: "placed", text: "select from public.here", parameters: {}, row: {} };
  assert.deepEqual(await problemsOf(client, statement), [
    "placed names the schema of public.here, where a cell may have another",
  ]);
  await client.query("drop table here");
});

test("parameters whose declared types differ from their use are reported", async () => {
  const statement: Statement = {
    name: "used_otherwise",
    text: "select $1::integer + $2 as sum",
    parameters: { first: "integer", second: "text" },
    row: { sum: "integer" },
  };
  assert.deepEqual(await problemsOf(client, statement), [
    "used_otherwise declares the parameters integer, text, and takes integer, integer",
  ]);
});

test("an invalid statement is reported with PostgreSQL's error, and the next one is still checked", async () => {
  const broken: Statement = { name: "broken", text: "select from nowhere", parameters: {}, row: {} };
  assert.deepEqual(await problemsOf(client, broken), ['broken: relation "nowhere" does not exist']);
  const sound: Statement = { name: "sound", text: "select", parameters: {}, row: {} };
  assert.deepEqual(await problemsOf(client, sound), []);
});

test("a construct that a distributed PostgreSQL refuses is reported, and an equivalent one is not", async () => {
  const schema = "distributable";
  await client.query(`create schema ${schema}; set search_path to ${schema}`);
  await client.query(`create table apps (organisation_id uuid, id uuid, seen_at timestamptz, count integer, primary key (id));
    create table events (app_id uuid, id uuid, at timestamptz, primary key (app_id, id));
    create table deliveries (app_id uuid, event_id uuid, due_at timestamptz)`);
  try {
    const catalogue = await readCatalogue(client);
    const refused = async (text: string, parameters: Statement["parameters"] = {}) =>
      refusedOf(await understand(client, { name: "asked", text, parameters, row: {} }), catalogue);
    const upsert = "insert into apps as a (id, count) select id, 1 from events on conflict (id) do update set";
    const minus = "timestamptz_mi_interval(timestamp with time zone,interval)";
    for (const [text, ...why] of [
      [`${upsert} count = (select count(*) from events)`, "has a subquery in DO UPDATE"],
      [`${upsert} count = 2 where exists (select from events)`, "has a subquery in DO UPDATE"],
      [`${upsert} count = a.count + excluded.count`],
      ["insert into apps (id, count) values ($1, (select count(*) from events))", "has a subquery in VALUES"],
      [
        "with made as (insert into apps (id, count) values ($1, 1), ($1, (select 2)) returning id) select from made",
        "has a subquery in VALUES",
      ],
      ["insert into apps (id, count) select $1, (select count(*) from events)"],
      [`${upsert} seen_at = now()`, "computes a time in DO UPDATE, by now()"],
      [`${upsert} seen_at = current_timestamp`, "computes a time in DO UPDATE, by the time of the session"],
      [`${upsert} seen_at = excluded.seen_at - interval '1 day'`, `computes a time in DO UPDATE, by ${minus}`],
      [`${upsert} seen_at = (excluded.seen_at at time zone 'UTC' - interval '1 day') at time zone 'UTC'`],
      [
        "update apps set seen_at = case when count > 1 then seen_at - interval '1 day' end",
        `computes a time in CASE, by ${minus}`,
      ],
      ["update apps set seen_at = coalesce(seen_at, now())", "computes a time in COALESCE, by now()"],
      ["update apps set seen_at = case when count > 1 then at end from (select now() as at) time"],
      ["select from events join deliveries on event_id = events.id", "joins events and deliveries without app_id"],
      [
        "update deliveries set due_at = at from events where event_id = id",
        "joins deliveries and events without app_id",
      ],
      ["select from events join deliveries using (app_id) join apps on apps.id = events.app_id"],
      ["select from events, deliveries where events.app_id = $1 and deliveries.app_id = $1"],
      ["select from events left join deliveries on deliveries.app_id = events.app_id and event_id = events.id"],
    ] as const) {
      assert.deepEqual(await refused(text, text.includes("$1") ? { id: "uuid" } : {}), why, text);
    }
  } finally {
    await client.query(`reset search_path; drop schema ${schema} cascade`);
  }
});

test("a statement name can only be used once", () => {
  const declare = () => preparedStatement({ name: "taken", parameters: {}, row: {}, text: () => "select" });
  declare();
  assert.throws(declare, /two statements named taken/);
});
