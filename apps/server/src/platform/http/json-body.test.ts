import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setInterval } from "node:timers/promises";
import { type Connection, openConnection } from "../../testing/open-connection.ts";
import { type Service, startService } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";

let lodge: Service;
let token = "";
before(async () => {
  lodge = await startService({ LODGE_INGEST_IDLE_SECONDS: "1", LODGE_TICKET_RATE_PER_MINUTE: "1000" });
  const { tokens } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  token = tokens[0]?.secret ?? "";
});
after(() => lodge[Symbol.asyncDispose]());

const head = (path: string, length: number) =>
  [
    `POST ${path} HTTP/1.1`,
    "Host: lodge.test",
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
    `Content-Length: ${length}`,
    "\r\n",
  ].join("\r\n");
const strangers = ["/api/dashboard/session", "/api/dashboard/setup", "/api/dashboard/invitation-links/nothing"];

test("at most 4 KiB of a request without a session are read", async () => {
  for (const path of strangers) {
    await using connection = await openConnection(lodge.url);
    await connection.send(head(path, 4_097));
    const answer = await connection.answer();
    assert.deepEqual([answer?.status, answer?.body.error], [400, "invalid_input"], path);
    assert.match(JSON.stringify(answer?.body.details), /at most 4096 bytes/);
    await connection.closed;

    const chunks = await lodge.request("POST", path, {
      headers: { "content-type": "application/json" },
      body: " ".repeat(4_096),
    });
    assert.doesNotMatch(chunks.text, /at most 4096 bytes/);
  }
});

test("a body that stalls or arrives byte by byte is refused", async () => {
  for (const path of [...strangers, "/api/v1/tickets"]) {
    await using stalling = await openConnection(lodge.url);
    await stalling.send(head(path, 1_000));
    await stalling.send(" ".repeat(999));
    await using trickling = await openConnection(lodge.url);
    await trickling.send(head(path, 1_000));
    await trickle(trickling);
    for (const connection of [stalling, trickling]) {
      const answer = await connection.answer();
      assert.deepEqual([answer?.status, answer?.body.error], [408, "request_timeout"], path);
      await connection.closed;
    }
  }
});

/** Sends a byte every 100 ms until the connection is closed. */
async function trickle(connection: Connection) {
  let open = true;
  void connection.closed.then(() => {
    open = false;
  });
  for await (const _ of setInterval(100)) {
    if (!open) return;
    await connection.send(" ");
  }
}

test("all bodies that are being read share 64 MiB, and further requests are told to retry", async () => {
  await using patient = await startService({ ...lodge.env, LODGE_TICKET_RATE_PER_MINUTE: "1000" });
  const mebibyte = 1_048_576;
  const submit = () => patient.fileTicket(token, { title: "An honest ticket", description: "x".repeat(10_000) });
  const stalled: Connection[] = [];
  const answers: Awaited<ReturnType<Connection["answer"]>>[] = [];
  for (let count = 0; count < 70; count += 1) {
    const connection = await openConnection(patient.url);
    stalled.push(connection);
    await connection.send(head("/api/v1/tickets", mebibyte));
    await connection.send(" ".repeat(mebibyte - 1));
    void connection.answer().then((answer) => answers.push(answer));
  }
  await until(async () => answers.length >= 6);
  for (const answer of answers) {
    assert.deepEqual([answer?.status, answer?.body.error], [503, "unavailable"]);
    assert.match(answer?.headers.get("retry-after") ?? "", /^\d+$/);
  }
  assert.equal((await submit()).status, 503);
  for (const connection of stalled) connection.reset();
  await until(async () => (await submit()).status === 201);
});
