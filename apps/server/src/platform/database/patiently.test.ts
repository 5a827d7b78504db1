import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "kysely";
import { makeMigratedHome } from "../../testing/run-lodged.ts";
import { until } from "../../testing/until.ts";
import { createLog } from "../observe/log.ts";
import { startEmbeddedPostgres } from "../postgres/embedded-postgres.ts";
import { openPool, queryBuilder } from "./database.ts";
import { patiently } from "./patiently.ts";

test("an autovacuum gives way to a change of its table", async () => {
  await using home = await makeMigratedHome();
  const postgres = await startEmbeddedPostgres(home.dataDir, undefined, {
    autovacuum_naptime: "1s",
    autovacuum_vacuum_threshold: "1000",
    autovacuum_vacuum_cost_delay: "100ms", // for each block, so that it takes minutes
    autovacuum_vacuum_cost_limit: "1",
  });
  const pool = openPool(postgres.address, createLog("silent"));
  const db = queryBuilder(pool);
  try {
    await sql`create table numbers as select n, repeat('x', 500) as text from generate_series(1, 50000) n`.execute(db);
    await sql`delete from numbers where n % 2 = 0`.execute(db);
    await until(async () => {
      const { rows } = await sql`select from pg_stat_progress_vacuum where relid = 'numbers'::regclass`.execute(db);
      return rows.length === 1;
    });
    await assert.doesNotReject(
      patiently(db, (tx) => sql`alter table numbers add column more text`.execute(tx)),
      "it fails after 50 s if the autovacuum does not give way",
    );
  } finally {
    await pool.end();
    await postgres.stop();
  }
});
