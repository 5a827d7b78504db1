import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "../../testing/start-service.ts";
import { migrate } from "../migrate.ts";
import { createLog } from "../observe/log.ts";
import { openPool } from "./database.ts";

test("an edited migration and a database from before 0.1.0 are refused; pg_trgm is the only extension", async () => {
  const database = await cloneDatabase();
  {
    await using pool = openPool({ connectionString: database.url }, createLog("silent"), 2);
    const { rows } = await pool.query("select extname from pg_extension order by extname");
    assert.deepEqual(rows, [{ extname: "pg_trgm" }, { extname: "plpgsql" }]);
    assert.deepEqual(await migrate(pool), []);
    await pool.query("update schema_migrations set sha256 = md5(sha256) where name = '0009_tickets.sql'");
    await assert.rejects(migrate(pool), /0009_tickets\.sql was edited/);
    await pool.query("delete from schema_migrations");
    await pool.query("insert into schema_migrations (name, sha256) values ('0001_organisations.sql', '')");
    await assert.rejects(migrate(pool), {
      message:
        "The database is from a Lodge before 0.1.0 and cannot be upgraded: start with a new LODGE_DATA_DIR or an empty DATABASE_URL.",
    });
    const left = await pool.query("select name from schema_migrations");
    assert.deepEqual(left.rows, [{ name: "0001_organisations.sql" }], "the database is unchanged");
  }
  await database.drop();
});
