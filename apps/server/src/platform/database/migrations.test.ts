import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "../../testing/start-service.ts";
import { migrate } from "../migrate.ts";
import { createLog } from "../observe/log.ts";
import { openPool } from "./database.ts";

test("a migration that was edited is refused, but not one that asked for more before; pg_trgm is all that is asked for", async () => {
  const database = await cloneDatabase();
  {
    await using pool = openPool({ connectionString: database.url }, createLog("silent"), 2);
    const say = (name: string, sha256: string) =>
      pool.query("update schema_migrations set sha256 = $2 where name = $1 returning name", [name, sha256]);
    const before = "5c4e0713da477d5ef5233af633e5b83c82ad6355c6e99b7da1995409df722c10";
    assert.equal((await say("0060_ticket_search.sql", before)).rowCount, 1);
    assert.deepEqual(await migrate(pool), []);
    await say("0060_ticket_search.sql", before.replace("5", "6"));
    await assert.rejects(migrate(pool), /0060_ticket_search\.sql was edited/);
    const { rows } = await pool.query("select extname from pg_extension order by extname");
    assert.deepEqual(rows, [{ extname: "pg_trgm" }, { extname: "plpgsql" }]);
  }
  await database.drop();
});
