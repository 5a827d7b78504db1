import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rename } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { operations } from "@lodge/contract/operations";
import { makeLink } from "../inbox/artifacts/artifact-links.ts";
import { begin } from "./begin.ts";
import { password, signedIn, twoOrganisations } from "./dashboard-client.ts";
import { declare, encodeForm, envelopePart, formBoundary } from "./encode-form.ts";
import { openConnection } from "./open-connection.ts";
import { makeHome } from "./run-lodged.ts";
import { slowTest } from "./slow-test.ts";
import { startProxy } from "./start-proxy.ts";
import { type Answer, makePatientDatabase, type Service, startService, withWorker } from "./start-service.ts";
import { until } from "./until.ts";

/** A server that connects to its database through a proxy, and what is needed to send it requests. */
async function startBehindProxy() {
  await using started = new AsyncDisposableStack();
  const direct = started.use(await startService({ LODGE_ROLES: "api" }));
  const { acme } = await twoOrganisations(direct);
  const { apps, runners } = await direct.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Web", slug: "web", keys: ["default"], replies: true }],
    runners: [{ name: "one" }],
  });
  const proxy = started.use(await startProxy(direct.env.DATABASE_URL ?? ""));
  const lodge = started.use(
    await startService({
      ...withWorker,
      DATABASE_URL: proxy.url,
      LODGE_TICKET_RATE_PER_MINUTE: "1000000",
      LODGE_SMTP_URL: "smtp://127.0.0.1:1", // nothing is e-mailed
      LODGE_MAIL_FROM: "lodge@lodge.test",
    }),
  );
  const secret = acme.tokens[0]?.secret;
  const key = apps[0]?.keys[0]?.key ?? "";
  const post = (body: Uint8Array) =>
    lodge.request("POST", "/api/ingest", {
      headers: { authorization: `Bearer ${key}`, "content-type": `multipart/form-data; boundary="${formBoundary}"` },
      body,
    });
  const all = started.move();
  return {
    direct,
    proxy,
    lodge,
    secret,
    key,
    runnerToken: runners[0]?.secret,
    file: (headers: Record<string, string> = {}) => lodge.fileTicket(secret, { title: "t" }, headers),
    post,
    submit: (reportId: string) => post(encodeForm([envelopePart({ reportId })])),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

function assertUnavailable({ status, body, headers }: Answer, what: string) {
  assert.deepEqual([status, body.error], [503, "unavailable"], what);
  assert.match(headers.get("retry-after") ?? "", /^[1-9]\d*$/, what);
}

/** Waits until more concurrent tickets are filed than there are connections, so that no connection is dead. */
async function recovery(file: () => Promise<Answer>): Promise<void> {
  await until(async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => file()));
    return answers.every(({ status }) => status === 201);
  });
}

test("while the database does not respond, requests are refused and probes answered, and its return is noticed", async () => {
  await using behind = await startBehindProxy();
  const { lodge, proxy, file, submit } = behind;
  assert.equal((await file()).status, 201);
  proxy.pause();
  const requests = [...Array.from({ length: 40 }, () => file()), submit("silent")];
  // A probe gives the database less time than a request does, so it is answered first.
  let isAnswered = false;
  const first = Promise.race(requests).then(() => {
    isAnswered = true;
  });
  const probes = [
    lodge.request("GET", "/readyz"),
    lodge.request("GET", "/metrics"),
    lodge.request("GET", "/metrics", {
      headers: { "x-forwarded-for": "192.0.2.1", authorization: `Bearer ${behind.secret}` },
    }),
  ];
  const [ready, ...metrics] = await Promise.all(probes);
  assert.equal(isAnswered, false, "probes are answered before any request");
  assert.deepEqual([ready?.status, ready?.body.reason], [503, "the database does not answer"]);
  for (const { status } of metrics) assert.ok([200, 503].includes(status));
  assert.equal((await lodge.request("GET", "/healthz")).status, 200);
  await first;
  for (const answer of await Promise.all(requests)) assertUnavailable(answer, "while the database is silent");
  proxy.resume();
  await recovery(file);
  await until(async () => (await lodge.request("GET", "/readyz")).status === 200);
});

test("silently dead connections are discarded, in the dashboard and the worker too", async () => {
  await using behind = await startBehindProxy();
  const { lodge, proxy, file } = behind;
  const ada = await signedIn(lodge, "ada@acme.test");
  await Promise.all(Array.from({ length: 40 }, () => file()));
  await Promise.all(Array.from({ length: 20 }, () => ada("GET", "/projects")));
  proxy.forgetConnections();
  await Promise.all([recovery(file), until(async () => (await ada("GET", "/projects")).status === 200)]);
});

test("a retry does not repeat a commit whose response was lost", async () => {
  await using behind = await startBehindProxy();
  const { lodge, direct, proxy, secret, key } = behind;
  await Promise.all(Array.from({ length: 8 }, () => lodge.deps.pool.query("select pg_sleep(0.1)"))); // opens connections
  const reportId = randomUUID();
  const idempotencyKey = randomUUID();
  const form = encodeForm([envelopePart({ reportId })]);
  const ticketLines = [
    `Authorization: Bearer ${secret}`,
    "Content-Type: application/json",
    `Idempotency-Key: ${idempotencyKey}`,
  ];
  const reportLines = [`Authorization: Bearer ${key}`, `Content-Type: multipart/form-data; boundary="${formBoundary}"`];
  await using ticket = await hold(lodge, "/api/v1/tickets", ticketLines, '{"title":"once"}');
  await using report = await hold(lodge, "/api/ingest", reportLines, form);
  proxy.swallowAnswers();
  const answers = await Promise.all([ticket.complete(), report.complete()]);
  for (const answer of answers) assertUnavailable(answer, "whose outcome nobody knows");
  assert.equal(await count(direct, "tickets"), 1);
  assert.equal(await count(direct, "events"), 1);

  proxy.resume();
  await until(async () => (await lodge.request("GET", "/readyz")).status === 200);
  const replayed = await behind.file({ "idempotency-key": idempotencyKey });
  assert.deepEqual([replayed.status, replayed.body.title], [201, "once"]);
  const known = await behind.submit(reportId);
  assert.deepEqual([known.status, known.body.idempotent], [200, true]);
  assert.equal(await count(direct, "tickets"), 1);
  assert.equal(await count(direct, "events"), 1);
});

test("every route answers 503 while the database refuses connections", async () => {
  await using behind = await startBehindProxy();
  const { lodge, proxy, secret, key, runnerToken } = behind;
  const ada = await signedIn(lodge, "ada@acme.test");
  const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const { thread, device } = (await behind.submit("first")).body as Record<string, { id: string; token: string }>;
  const bearerOf: Record<string, string | null | undefined> = {
    listMessages: thread?.token,
    postMessage: thread?.token,
    listDeviceThreads: device?.token,
  };
  const ids: Record<string, string | undefined> = { threadId: thread?.id, deviceId: device?.id };
  const link = new URL(makeLink(lodge.deps, { appId: randomUUID(), eventId: randomUUID(), part: "0" }));
  await proxy.refuse();
  const wrong: string[] = [];
  for (const { operation } of operations) {
    const { id, method, path, door, credential } = operation;
    const ofDoor = credential?.kind === "runnerToken" ? runnerToken : door === "api" ? secret : key;
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? randomUUID());
    const asked = id === "downloadArtifact" ? `${link.pathname}${link.search}` : filled;
    const { status, headers, text } = await lodge.request(method, asked, {
      headers:
        door === "dashboard"
          ? { cookie, origin: new URL(lodge.url).origin }
          : credential?.kind === "sentryKey"
            ? { "x-sentry-auth": `Sentry sentry_key=${key}` }
            : { authorization: `Bearer ${bearerOf[id] ?? ofDoor}` },
      body: method === "GET" || method === "DELETE" ? undefined : (bodies[id] ?? {}),
    });
    if (status !== 503 || !headers.get("retry-after")) wrong.push(`${id}: ${status} ${text}`);
  }
  assert.deepEqual(wrong, []);
  await proxy.accept();
  assert.equal((await behind.file()).status, 201);
});

test("a read-only database, a blocked statement and a missing store give 503 too", async () => {
  await using behind = await startBehindProxy();
  const { direct, lodge, proxy, file } = behind;
  const client = await direct.deps.pool.connect();
  const readOnly = async (setting: string) => {
    const { rows } = await client.query<{ name: string }>("select current_database() as name");
    await client.query(`alter database ${rows[0]?.name} ${setting}`);
    await proxy.refuse(); // only new sessions have the setting
    await proxy.accept();
  };
  await readOnly("set default_transaction_read_only = on");
  assertUnavailable(await file(), "read-only");
  await readOnly("reset default_transaction_read_only");
  await until(async () => (await file()).status === 201);

  await client.query(`${begin}; lock table tickets in access exclusive mode`);
  assertUnavailable(await file(), "blocked statement");
  await client.query("rollback");
  client.release();
  assert.equal((await file()).status, 201);

  const folder = join(lodge.deps.config.dataDir, "artifacts");
  await rename(folder, `${folder}.away`);
  const report = encodeForm([
    envelopePart({ reportId: "r", attachments: [declare("a", "a")] }),
    { name: "a", body: "a" },
  ]);
  assertUnavailable(await behind.post(report), "missing store");
  await rename(`${folder}.away`, folder);
  assert.equal((await behind.post(report)).status, 200);
});

test("dashboard requests that wait for the database do not delay the public APIs", async () => {
  await using patient = await makePatientDatabase();
  await using lodge = await startService(patient.env, patient.overrides);
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  await using direct = await startService({ ...patient.env, LODGE_ROLES: "api" });
  const client = await direct.deps.pool.connect();
  await client.query(`${begin}; lock table invitations in access exclusive mode`);
  const pages = Promise.all(
    Array.from({ length: 60 }, () => lodge.request("GET", "/api/dashboard/invitations", { headers: { cookie } })),
  );
  await until(async () => {
    const { rows } = await direct.deps.pool.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return rows.length >= 6;
  });
  // Dashboard requests wait while the lock is held, so other requests that shared their connections would wait too.
  const filed = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "t" });
  assert.equal(filed.status, 201);
  await client.query("rollback");
  client.release();
  for (const { status } of await pages) assert.equal(status, 200);
});

slowTest("a server whose database does not respond still stops", async () => {
  await using behind = await startBehindProxy();
  await using home = await makeHome();
  const lodged = await home.serve({
    DATABASE_URL: behind.proxy.url,
    LODGE_SECRET: "a secret that is long enough for it",
  });
  const file = () =>
    fetch(`${lodged.url}/api/v1/tickets`, {
      method: "POST",
      headers: { authorization: `Bearer ${behind.secret}`, "content-type": "application/json" },
      body: '{"title":"t"}',
    });
  assert.equal((await file()).status, 201);
  behind.proxy.pause();
  const requests = Promise.allSettled(Array.from({ length: 20 }, file));
  lodged.kill("SIGTERM");
  assert.equal((await lodged.ended).code, 0);
  await requests;
  behind.proxy.resume();
});

/** A valid body for each route that checks its body before it asks the database. */
const bodies: Record<string, object> = {
  signIn: { email: "ada@acme.test", password },
  losePassword: { email: "ada@acme.test" },
  setPassword: { password },
  setUp: { organisationName: "New", name: "New", email: "new@example.test", password },
  finishProviderSignIn: { answer: "?code=none" },
  finishPasskeySignIn: {
    credential: {
      ...{ id: "none", rawId: "none", type: "public-key", clientExtensionResults: {} },
      response: { clientDataJSON: "none" },
    },
  },
};

/** An authenticated request whose body is sent later, on demand. */
async function hold(lodge: Service, path: string, lines: readonly string[], body: string | Uint8Array) {
  const connection = await openConnection(lodge.url);
  const head = [`POST ${path} HTTP/1.1`, "Host: lodge.test", ...lines, "Expect: 100-continue"];
  await connection.send(`${[...head, `Content-Length: ${Buffer.byteLength(body)}`].join("\r\n")}\r\n\r\n`);
  assert.equal((await connection.answer())?.status, 100);
  return {
    complete: async () => {
      await connection.send(body);
      const answer = await connection.answer();
      assert.ok(answer);
      return answer;
    },
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  };
}

async function count({ deps }: Service, table: "tickets" | "events"): Promise<number> {
  const { rows } = await deps.pool.query<{ count: number }>(`select count(*) from ${table}`);
  return rows[0]?.count ?? 0;
}
