import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startService } from "./start-service.ts";

const folder = new URL("../../../../deploy/", import.meta.url);
const alerts = fileURLToPath(new URL("prometheus-alerts.yml", folder));
const dashboard = new URL("grafana-dashboard.json", folder);

test("Prometheus accepts the alerts", async () => {
  const { stdout } = await promisify(execFile)("promtool", ["check", "rules", alerts]);
  assert.match(stdout, /SUCCESS: 10 rules found/);
});

test("alerts and dashboard use only metrics, routes and labels that the server has", async () => {
  await using lodge = await startService();
  const { secret } = (
    await lodge.apply({
      organisation: { name: "Acme", slug: "acme" },
      tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
    })
  ).tokens[0] ?? { secret: "" };
  await lodge.fileTicket(secret, {});
  await lodge.request("POST", "/api/ingest");
  const { text } = await lodge.request("GET", "/metrics");
  const metrics = new Set([...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name));
  const files = [await readFile(alerts, "utf8"), JSON.stringify(JSON.parse(await readFile(dashboard, "utf8")))];
  for (const file of files) {
    const names = [...file.matchAll(/\blodged_\w+/g)].map(([name]) => name.replace(/_(count|bucket)$/, ""));
    assert.ok(names.length > 5);
    assert.deepEqual([...new Set(names.filter((name) => !metrics.has(name)))], []);
    for (const [, label = "", value = ""] of file.matchAll(/\b(route|method)=\\*"([^"\\]+)\\*"/g)) {
      assert.ok(text.includes(`${label}="${value}"`), `${label}="${value}"`);
    }
  }
});
