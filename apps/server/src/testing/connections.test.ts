import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { makeLink } from "../inbox/artifacts/artifact-links.ts";
import { liveChannelSql, payloadOf } from "../platform/database/publish.ts";
import { signedIn, twoOrganisations } from "./dashboard-client.ts";
import { declare, encodeForm, envelopePart, formBoundary } from "./encode-form.ts";
import { lodgedMain } from "./lodged-main.ts";
import { openConnection } from "./open-connection.ts";
import { makeHome } from "./run-lodged.ts";
import { slowTest } from "./slow-test.ts";
import { startChild } from "./start-child.ts";
import { startService } from "./start-service.ts";
import { until } from "./until.ts";

const secret = "a secret that only the tests know, long enough";
/** The state of an open connection, as the kernel writes it. */
const established = "01";
const readers = 20;
const streams = 5;

test("one address can use a quarter of the connections, and all addresses together leave file descriptors free", async () => {
  await using lodge = await startService({ LODGE_ROLES: "api" });
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Web", slug: "web", keys: ["default"] }],
  });
  await using home = await makeHome();
  const limited = home.run(
    ['ulimit -n 256; exec "$0" "$@"', process.execPath, lodgedMain(), "serve"],
    { ...lodge.env, LODGE_SECRET: secret, LODGE_TRUSTED_PROXIES: "127.0.1.0/24" },
    { node: "sh", main: "-c" },
  );
  const url = await limited.ready();
  const port = Number(new URL(url).port);
  const sockets: Socket[] = [];
  const open = async (localAddress: string, count: number) => {
    const opened = Array.from({ length: count }, () =>
      connect({ port, host: "127.0.0.1", localAddress }).on("error", () => {}),
    );
    sockets.push(...opened);
    await Promise.all(opened.map((socket) => once(socket, "connect")));
    return opened;
  };
  const stillOpen = (address: string) => countConnections(port, address);

  await open("127.0.0.2", 60);
  await until(async () => (await stillOpen("127.0.0.2")) === 32);
  const [first] = await open("127.0.0.3", 1);
  assert.equal(await stillOpen("127.0.0.3"), 1, "another address has its own limit");
  first?.destroy();

  await using early = await openConnection(url);
  await open("127.0.1.1", 300); // a trusted proxy may have all connections
  const declared = ["a", "b", "c", "d", "e"].map((name) => ({ ...declare(name, name) }));
  const form = encodeForm([
    envelopePart({ reportId: "r", attachments: declared }),
    ...declared.map(({ partName }) => ({ name: partName, body: partName })),
  ]);
  const head = [
    "POST /api/ingest HTTP/1.1",
    "Host: lodge.test",
    `Authorization: Bearer ${apps[0]?.keys[0]?.key}`,
    `Content-Type: multipart/form-data; boundary="${formBoundary}"`,
    `Content-Length: ${form.length}`,
  ];
  await early.send(Buffer.concat([Buffer.from(`${head.join("\r\n")}\r\n\r\n`), form]));
  assert.equal((await early.answer())?.status, 200);
  assert.ok((await stillOpen("127.0.1.1")) > 32);
  for (const socket of sockets) socket.destroy();
});

slowTest("clients that never read their responses are disconnected", async () => {
  await using lodge = await startService({ LODGE_ROLES: "api,ingest,dashboard" });
  const { acme } = await twoOrganisations(lodge);
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Web", slug: "web", keys: ["default"] }],
  });
  await using child = await startChild({
    ...lodge.env,
    LODGE_SECRET: secret,
    LODGE_DATA_DIR: lodge.deps.config.dataDir,
    LODGE_INGEST_IDLE_SECONDS: "2", // on a slow machine, the first connections may be cut before the last ones open
  });
  const port = Number(new URL(child.url).port);
  const sockets: Socket[] = [];
  const ask = async (text: string) => {
    const socket = connect({ host: "127.0.0.1", port }).on("error", () => {});
    socket.pause();
    await once(socket, "connect");
    sockets.push(socket);
    await new Promise((resolve) => socket.write(text, resolve));
  };

  const ada = await signedIn(lodge, "ada@acme.test");
  const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const file = Buffer.alloc(20_000_000);
  const { body } = await lodge.request("POST", "/api/ingest", {
    headers: {
      authorization: `Bearer ${apps[0]?.keys[0]?.key}`,
      "content-type": `multipart/form-data; boundary="${formBoundary}"`,
    },
    body: encodeForm([
      envelopePart({ reportId: "large", attachments: [declare("file", file)] }),
      { name: "file", body: file },
    ]),
  });
  const { pathname, search } = new URL(
    makeLink(lodge.deps, { appId: apps[0]?.id ?? "", eventId: `${body.eventId}`, part: "0" }),
  );
  for (let reader = 0; reader < readers; reader++)
    await ask(`GET ${pathname}${search} HTTP/1.1\r\nHost: lodge.test\r\n\r\n`);
  for (let stream = 0; stream < streams; stream++) {
    await ask(`GET /api/dashboard/events HTTP/1.1\r\nHost: lodge.test\r\nCookie: ${cookie}\r\n\r\n`);
  }
  // Until all connections are closed, send more than the kernel buffers for clients that do not read: a stream that
  // opens late has missed earlier changes.
  while ((await countConnections(port)) > 0) {
    const change = { kind: "board.changed", boardId: "x".repeat(7_000) } as const;
    const payloads = Array.from({ length: 100 }, () => payloadOf({ organisationId: acme.organisation.id, change }));
    await lodge.deps.pool.query(`select count(pg_notify(${liveChannelSql}, payload)) from unnest($1::text[]) payload`, [
      payloads,
    ]);
  }
  for (const socket of sockets) socket.destroy();
});

/** The number of connections to this port on the server's side, from one address or all, according to the kernel. */
async function countConnections(port: number, address?: string): Promise<number> {
  const end = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const bytes = address?.split(".").reverse().map(Number);
  const start = bytes ? `${Buffer.from(bytes).toString("hex").toUpperCase()}:` : "";
  const lines = (await readFile("/proc/net/tcp", "utf8")).trim().split("\n").slice(1);
  return lines.filter((line) => {
    const [, local = "", remote = "", state] = line.trim().split(/\s+/);
    return local.endsWith(end) && remote.startsWith(start) && state === established;
  }).length;
}
