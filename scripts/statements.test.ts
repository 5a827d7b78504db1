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

test("a statement that returns what it declares is right", async () => {
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

test("each column that is missing, undeclared, declared otherwise or returned twice is named", async () => {
  const statement: Statement = {
    name: "wrong",
    text: "select 1 as one, 'b' as two, now() as three, 4 as four, 4 as four",
    parameters: {},
    row: { one: "bigint", three: "timestamptz", four: "integer", five: "text" },
  };
  assert.deepEqual(await problemsOf(client, statement), [
    "wrong declares five, and returns none",
    "wrong returns four more than once",
    "wrong declares one as bigint, and returns integer",
    "wrong returns two, and does not declare it",
  ]);
});

test("parameters that are declared otherwise than they are used are named", async () => {
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

test("a statement that PostgreSQL does not understand is named with its reason, and the next one is asked", async () => {
  const broken: Statement = { name: "broken", text: "select from nowhere", parameters: {}, row: {} };
  assert.deepEqual(await problemsOf(client, broken), ['broken: relation "nowhere" does not exist']);
  const sound: Statement = { name: "sound", text: "select", parameters: {}, row: {} };
  assert.deepEqual(await problemsOf(client, sound), []);
});

test("a name is taken once", () => {
  const declare = () => preparedStatement({ name: "taken", parameters: {}, row: {}, text: () => "select" });
  declare();
  assert.throws(declare, /two statements named taken/);
});
