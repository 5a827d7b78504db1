import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, test } from "node:test";
import { envelopePart } from "./testing/encode-form.ts";
import { logIntoMemory } from "./testing/log-into-memory.ts";
import { makeOrganisation } from "./testing/make-organisation.ts";
import { openConnection } from "./testing/open-connection.ts";
import { startDoor } from "./testing/start-door.ts";
import { startService } from "./testing/start-service.ts";
import { until } from "./testing/until.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());

/** Sends raw bytes, which may be invalid or incomplete HTTP, and reads the response. */
async function sendRaw(bytes: string, { url } = lodge) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  socket.write(bytes, "latin1");
  const answer = String((await once(socket, "data"))[0]);
  socket.destroy();
  const [head = "", body = ""] = answer.split("\r\n\r\n");
  return { status: Number(head.split(" ")[1]), head, body: JSON.parse(body) as Record<string, unknown> };
}

test("an unknown address is answered with a JSON error", async () => {
  for (const path of [
    "/nowhere",
    "/api/nowhere",
    "/api/v1/ticket",
    "/api/v1/tickets/",
    "/API/v1/tickets",
    "/api/v2/tickets",
  ]) {
    // Outside of /api the web app answers GET, and shows its own page for unknown addresses.
    for (const method of path.startsWith("/api/") ? ["GET", "POST", "DELETE"] : ["POST", "DELETE"]) {
      const refused = await lodge.request(method, path);
      assert.deepEqual([refused.status, refused.body.error], [404, "not_found"], `${method} ${path}`);
      assert.equal(refused.headers.get("content-type"), "application/json; charset=utf-8");
    }
  }
});

test("a method that an address does not support is refused with the methods that it supports", async () => {
  for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"]) {
    const refused = await lodge.request(method, "/api/v1/tickets?x=1");
    assert.deepEqual([refused.status, refused.body.error], [405, "method_not_allowed"], method);
    assert.equal(refused.headers.get("allow"), "GET, POST");
    for (const type of ["application/json", "json", "text/plain"]) {
      const typed = await lodge.request(method, "/api/v1/tickets", { headers: { "content-type": type } });
      assert.deepEqual([typed.status, typed.headers.get("allow")], [405, "GET, POST"], `${method} ${type}`);
    }
    const sent = await lodge.request(method, "/api/nowhere", { headers: { "content-type": "json" }, body: "{" });
    assert.deepEqual([sent.status, sent.body.error], [404, "not_found"], method);
  }
  const health = await lodge.request("POST", "/healthz");
  assert.deepEqual([health.status, health.headers.get("allow")], [405, "GET"]);
});

test("an address with invalid encoding is answered with a JSON error", async () => {
  for (const path of ["/%", "/api/v1/tickets/%zz", "/%ff%fe"]) {
    const refused = await lodge.request("GET", path);
    assert.ok([400, 404].includes(refused.status), `${path}: ${refused.status}`);
    assert.ok(["bad_request", "not_found"].includes(String(refused.body.error)), path);
  }
});

test("a server without the ticket API role has no ticket API address", async () => {
  await using worker = await startService({ ...lodge.env, LODGE_ROLES: "worker" });
  assert.equal((await fetch(`${worker.url}/api/v1/tickets`, { method: "POST" })).status, 404);
  assert.equal((await worker.request("GET", "/healthz")).status, 200);
});

test("bytes that are not HTTP are answered with 400 and JSON", async () => {
  for (const bytes of [
    "nonsense\r\n\r\n",
    "FETCH / HTTP/1.1\r\nhost: x\r\n\r\n",
    "GET / HTTP/1.1\r\nhost x\r\n\r\n",
    "POST /api/v1/tickets HTTP/1.1\r\nhost: x\r\nidempotency-key: a\0b\r\n\r\n",
    "POST /api/v1/tickets HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
    "POST /api/v1/tickets HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n",
    "POST /api/v1/tickets HTTP/1.1\r\nhost: x\r\ncontent-length: ten\r\n\r\n",
    `GET / HTTP/1.1\r\nhost: x\r\nx: ${"x".repeat(100_000)}\r\n\r\n`,
  ]) {
    const { status, head, body } = await sendRaw(bytes);
    assert.deepEqual([status, body.error], [400, "bad_request"], bytes.slice(0, 80));
    assert.match(head, /content-type: application\/json/);
    assert.match(head, /connection: close/);
  }
});

test("a request is refused before its body arrives if its headers are enough to refuse it", async () => {
  await using limited = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "3" });
  const { tokens } = await makeOrganisation(limited);
  const refusal = async (token: string, headers = "") => {
    const head = `POST /api/v1/tickets HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 5000000000`;
    const { status, body } = await sendRaw(`${head}\r\nauthorization: Bearer ${token}\r\n${headers}\r\n`, limited);
    return [status, body.error];
  };
  assert.deepEqual(await refusal("nonsense"), [401, "invalid_api_token"]);
  assert.deepEqual(await refusal(tokens.powerless), [403, "insufficient_scope"]);
  assert.deepEqual(await refusal(tokens.web, "idempotency-key: \r\n"), [400, "invalid_idempotency_key"]);
  assert.deepEqual(await refusal(tokens.web), [400, "invalid_input"]);
  assert.equal((await limited.fileTicket(tokens.web, { title: "t" })).status, 201);
  assert.deepEqual(await refusal(tokens.web), [429, "rate_limit_exceeded"]);
});

test("a path parameter of any length is answered as an unknown id", async () => {
  const acme = await makeOrganisation(lodge);
  const authorization = `Bearer ${acme.tokens.reader}`;
  for (const length of [101, 8_000]) {
    const long = "a".repeat(length);
    for (const [path, code] of [
      [`/api/v1/tickets/${long}`, "ticket_not_found"],
      [`/api/dashboard/invitations/${long}`, undefined],
      [`/api/dashboard/tickets/${long}`, "not_signed_in"],
      [`/api/artifacts/${long}`, "not_found"],
      [`/api/threads/${long}/messages`, undefined],
      [`/api/runner/runs/${long}`, undefined],
    ] as const) {
      const refused = await lodge.request("GET", path, { headers: { authorization } });
      assert.ok(refused.status >= 400 && refused.status < 500, `${path.slice(0, 40)}: ${refused.text}`);
      assert.equal(typeof refused.body.error, "string", path.slice(0, 40));
      if (code) assert.equal(refused.body.error, code, path.slice(0, 40));
    }
  }
});

test("every response forbids MIME sniffing, and over https requires https", async () => {
  await using secure = await startService({ LODGE_BASE_URL: "https://lodge.example.com" });
  const paths = [
    "/healthz",
    "/",
    "/robots.txt",
    "/nowhere",
    "/%",
    "/docs",
    "/api/v1/tickets",
    "/api/config",
    "/sign-in",
  ];
  for (const { url } of [lodge, secure]) {
    const hsts = url === secure.url ? "max-age=15552000" : null;
    for (const path of [...paths, "/api/dashboard/session", "/api/artifacts/none"]) {
      const { headers } = await fetch(`${url}${path}`);
      assert.equal(headers.get("x-content-type-options"), "nosniff", path);
      assert.equal(headers.get("strict-transport-security"), hsts, path);
    }
    const broken = await sendRaw("nonsense\r\n\r\n", { url } as typeof lodge);
    assert.match(broken.head, /\r\nx-content-type-options: nosniff(?:\r\n|$)/);
    assert.equal(/\r\nstrict-transport-security: max-age=15552000/.test(broken.head), hsts !== null);
  }
});

test("every response has a request id: the one sent, if it is fit for a log, or a new one", async () => {
  const ids = new Set<string | null>();
  const idFor = async (path: string, sent: string) =>
    (await lodge.request("GET", path, { headers: { "x-request-id": sent } })).headers.get("x-request-id");
  for (const path of ["/healthz", "/nowhere", "/%"]) {
    for (const sent of ["a", "Trace_1.2-3", "x".repeat(64)]) assert.equal(await idFor(path, sent), sent);
  }
  for (const [method, path] of [
    ["GET", "/healthz"],
    ["GET", "/nowhere"],
    ["GET", "/%"],
    ["POST", "/api/v1/tickets"],
  ] as const) {
    ids.add((await lodge.request(method, path)).headers.get("x-request-id"));
  }
  for (const sent of ["", "x".repeat(65), "two ids", "mine, yours", '{"a":1}', "m\u00ef"])
    ids.add(await idFor("/healthz", sent));
  assert.equal(ids.size, 10);
  for (const id of ids) assert.match(id ?? "", /^[0-9a-f-]{36}$/);
});

test("the log says which address a request came from, and which token or key it used", async () => {
  const { log, lines } = logIntoMemory();
  await using logged = await startDoor({ LODGE_TRUSTED_PROXIES: "127.0.0.1" }, { log });
  const { tokens } = await logged.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    tokens: [{ name: "CI", scope: "all", permissions: ["tickets:write"] }],
  });
  const { rows } = await logged.deps.pool.query<{ id: string }>("select id from sdk_keys");
  await logged.fileTicket(tokens[0]?.secret, { title: "t" }, { "x-forwarded-for": "192.0.2.7" });
  await logged.submit([envelopePart({ reportId: "r" })]);
  await logged.fileTicket("nonsense", {});
  const answered = () => lines().filter(({ msg }) => msg === "answered");
  await until(async () => answered().length === 3);
  const seen = answered().map(({ client, tokenId, keyId, status }) => ({ client, tokenId, keyId, status }));
  assert.deepEqual(seen, [
    { client: "192.0.2.7", tokenId: tokens[0]?.id, keyId: undefined, status: 201 },
    { client: "127.0.0.1", tokenId: undefined, keyId: rows[0]?.id, status: 200 },
    { client: "127.0.0.1", tokenId: undefined, keyId: undefined, status: 401 },
  ]);
});

test("a client that disconnects mid-request is not logged as an error", async () => {
  const { log, lines } = logIntoMemory();
  await using logged = await startDoor({}, { log });
  const acme = await makeOrganisation(logged);
  const heads = [
    ["POST /api/v1/tickets HTTP/1.1", `Authorization: Bearer ${acme.tokens.web}`, "Content-Type: application/json"],
    ["POST /api/dashboard/session HTTP/1.1", "Content-Type: application/json"],
    ["POST /api/ingest HTTP/1.1", ...logged.lines],
  ];
  for (const head of heads) {
    await using connection = await openConnection(logged.url);
    const rest = ["Host: lodge.test", "Expect: 100-continue", "Content-Length: 100", ""];
    await connection.send(`${[...head, ...rest].join("\r\n")}\r\n`);
    assert.equal((await connection.answer())?.status, 100);
    await connection.send("{");
    connection.reset();
  }
  await until(async () => lines().filter(({ msg }) => msg === "answered").length === heads.length);
  const faults = lines().filter(({ level }) => level === "error" || level === "warn");
  assert.deepEqual(faults, []);
});

test("an internal error is logged with its request id and without secrets", async () => {
  const { log, lines, written } = logIntoMemory();
  await using noisy = await startService({}, { log });
  const acme = await makeOrganisation(noisy);
  const { web, powerless } = acme.tokens;
  const revoked = acme.tokens.all;
  await noisy.deps.db.updateTable("tokens").set({ revoked_at: new Date() }).where("name", "=", "All CI").execute();
  const key = { "idempotency-key": "a-key-of-a-build" };
  await noisy.fileTicket(web, { title: "t" }, key);
  await noisy.fileTicket(web, { title: "another" }, key);
  await noisy.fileTicket(web, "{", { cookie: `session=${web}` });
  await noisy.fileTicket(powerless, { title: "t" });
  await noisy.fileTicket(revoked, { title: "t" });
  await noisy.fileTicket(`${web}x`, { title: "t" });
  await noisy.request("GET", `/nowhere/${web}?token=${web}`);
  await noisy.request("GET", "/api/v1/tickets", { headers: { authorization: `Bearer ${web}` } });
  await noisy.deps.pool.query("alter table tickets add constraint broken check (title <> 'broken')");
  const failed = await noisy.fileTicket(web, { title: "broken" }, { "idempotency-key": "another-key" });
  assert.equal(failed.status, 500);
  log.info({ authorization: `Bearer ${web}`, headers: { authorization: web }, a: { b: { token: web } } }, "by mistake");
  log.warn({ err: new Error("failed"), key: "a-key-of-a-build", secret: web }, "by mistake");

  const fault = lines().find(({ msg }) => msg === "failed");
  assert.equal(fault?.reqId, failed.body.requestId);
  assert.match(JSON.stringify(fault), /violates check constraint/);
  assert.ok(lines().some(({ msg }) => msg === "an Idempotency-Key was used again with another body"));
  for (const secret of [web, powerless, revoked]) assert.ok(!written().includes(secret.slice(8)));
  for (const sent of ["a-key-of-a-build", "another-key"]) assert.ok(!written().includes(sent));
});
