import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { cloneDatabase } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { createLog } from "../observe/log.ts";
import { openPool } from "./database.ts";
import { listen } from "./listen.ts";

test("a listener hears of a gap before any later message", async () => {
  const { url: connectionString, drop } = await cloneDatabase();
  const log = createLog("silent");
  const pool = openPool({ connectionString }, log);
  const listening = listen(pool, log);
  const speaker = new pg.Client({ connectionString });
  await speaker.connect();
  let heard = 0;
  let gaps = 0;
  const untold: number[] = [];
  let isTold = false;
  await listening.add({
    onGap: () => {
      gaps++;
      isTold = true;
    },
    onNotification: (notification) => {
      if (!("organisationId" in notification)) return;
      const number = Number(notification.id);
      if (number !== heard + 1 && !isTold) untold.push(number);
      heard = number;
      isTold = false;
    },
  });
  let isOver = false;
  const change = { kind: "tokens.changed" };
  const speaking = (async () => {
    for (let id = 1; !isOver; id++) {
      await speaker.query("select pg_notify('lodge_live', $1)", [
        JSON.stringify({ id: `${id}`, organisationId: "o", change }),
      ]);
    }
  })();
  for (let count = 1; count <= 5; count++) {
    await until(() => heard > 0 && gaps === count - 1);
    await pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lodged live' and datname = current_database()",
    );
    await until(() => gaps === count);
  }
  isOver = true;
  await speaking;
  assert.deepEqual(untold, []);
  await listening.close();
  await Promise.all([speaker.end(), pool.end()]);
  await drop();
});
