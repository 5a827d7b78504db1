import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { makeOrganisation } from "../testing/make-organisation.ts";
import { startService } from "../testing/start-service.ts";
import { checkConformance, type Row } from "./check-conformance.ts";

async function rowsOf(subject: Parameters<typeof checkConformance>[0]): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of checkConformance(subject)) rows.push(row);
  return rows;
}

test("this server does what every row of the interface says", async () => {
  await using lodge = await startService();
  const acme = await makeOrganisation(lodge);
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    apps: [{ name: "iOS", slug: "ios", keys: ["default"] }],
  });
  const key = apps[0]?.keys[0]?.key ?? "";
  const rows = await rowsOf({ base: lodge.url, ingest: lodge.url, token: acme.tokens.web, key });
  assert.ok(rows.length >= 35);
  assert.deepEqual(
    rows.filter(({ failure }) => failure !== undefined),
    [],
  );
});

test("a server that answers everything with 200 fails every row", async () => {
  const server = createServer((request, response) => request.resume().on("end", () => response.end("{}")));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const rows = await rowsOf({ base: url, ingest: url, token: "ldg_x", key: "ldgpub_x" });
  server.close();
  server.closeAllConnections();
  assert.deepEqual(
    rows.filter(({ failure }) => failure === undefined),
    [],
  );
});
