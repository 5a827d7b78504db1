import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { makeOrganisation } from "../../../apps/server/src/testing/make-organisation.ts";
import { makeHome } from "../../../apps/server/src/testing/run-lodged.ts";
import { startService } from "../../../apps/server/src/testing/start-service.ts";
import { checkConformance, type Row } from "../src/check-conformance.ts";

async function rowsOf(subject: Parameters<typeof checkConformance>[0]): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of checkConformance(subject)) rows.push(row);
  return rows;
}

test("this server passes every row of the interface", async () => {
  await using lodge = await startService({ LODGE_INGEST_RATE_LIMITS: "on" });
  const acme = await makeOrganisation(lodge);
  const keysOf = async (slug: string) => {
    const { apps, organisation, tokens } = await lodge.apply({
      organisation: { name: "Acme", slug },
      apps: [{ name: "iOS", slug: "ios", keys: ["default", "rate"] }],
      tokens: ["revoked", "rate"].map((name) => ({ name, scope: [], permissions: ["tickets:write"] })),
    });
    const [key = "", rateKey = ""] = apps[0]?.keys.map(({ key }) => key) ?? [];
    const [revoked, rate] = tokens;
    return { id: organisation.id, key, rateKey, revoked, rateToken: rate?.secret ?? "" };
  };
  const { key, rateKey, revoked, rateToken } = await keysOf(acme.slug);
  const umbra = await keysOf((await makeOrganisation(lodge)).slug);
  const { pool } = lodge.deps;
  await pool.query("update tokens set revoked_at = now() where id = $1", [revoked?.id]);
  await pool.query("insert into suspensions values ($1, current_date, current_date + 30)", [umbra.id]);
  const rows = await rowsOf({
    base: lodge.url,
    ingest: lodge.url,
    token: acme.tokens.web,
    key,
    ...{ otherToken: acme.tokens.mobile, wideToken: acme.tokens.all, unreachingToken: acme.tokens.nowhere },
    ...{ powerlessToken: acme.tokens.powerless, revokedToken: revoked?.secret ?? "", rateToken },
    ...{ rateKey, suspendedKey: umbra.key },
  });
  assert.ok(rows.length >= 48);
  assert.deepEqual(
    rows.filter(({ failure }) => failure !== undefined),
    [],
  );
});

test("a server that answers everything with 200 fails every row", async () => {
  const server = createServer((request, response) => request.resume().on("end", () => response.end("{}")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = "ldg_x";
  const key = "ldgpub_x";
  const rows = await rowsOf({
    ...{ base: url, ingest: url, token, key, rateKey: key, suspendedKey: key, rateToken: token, revokedToken: token },
    ...{ otherToken: token, wideToken: token, unreachingToken: token, powerlessToken: token },
  });
  server.close();
  server.closeAllConnections();
  assert.deepEqual(
    rows.filter(({ failure }) => failure === undefined),
    [],
  );
});

test("a server that does not answer is reported once", async () => {
  await using home = await makeHome();
  const { code, stdout, stderr } = await home.run(
    ["conformance", "--url", "http://127.0.0.1:9", "--token", "ldg_x", "--key", "ldgpub_x"],
    {},
  ).ended;
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /^No response from http:\/\/127\.0\.0\.1:9: .+\n$/);
});
