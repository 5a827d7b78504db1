import assert from "node:assert/strict";
import { test } from "node:test";
import { registry } from "../../platform/observe/metrics.ts";
import { begin } from "../../testing/begin.ts";
import { startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { subscribe, webhook } from "../../testing/subscribe.ts";
import { until } from "../../testing/until.ts";
import { measureDeliveries } from "./measure-deliveries.ts";

test("when counting takes too long, the metric shows the previous count, and the new one once it is known", async () => {
  await using lodge = await startService({ LODGE_ROLES: "api,ingest" });
  const { pool } = lodge.deps;
  const { key } = await subscribe(lodge, [webhook({ url: "http://127.0.0.1:9" })]);
  const measured = async () => {
    const forget = await measureDeliveries(new Map([[undefined, pool]]));
    const text = await registry.getSingleMetricAsString("lodged_deliveries");
    forget();
    return Number(/^lodged_deliveries\{state="waiting"\} (\d+)$/m.exec(text)?.[1]);
  };
  const slow = await pool.connect();
  await slow.query(`${begin}; lock table deliveries in access exclusive mode`);
  await assert.rejects(measured(), /no database could count its deliveries/);
  await slow.query("rollback");
  await until(async () => (await measured().catch(() => undefined)) === 0);

  await submitReport(lodge.url, key, { reportId: "1" });
  await slow.query(`${begin}; lock table deliveries in access exclusive mode`);
  assert.equal(await measured(), 0);
  await slow.query("rollback");
  slow.release();
  await until(async () => (await measured()) === 1);
});
