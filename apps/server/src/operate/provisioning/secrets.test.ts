import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { gunzipSync } from "node:zlib";
import {
  changeNoticeChoices,
  changeSubscriber,
  createHook,
  createSubscriber,
  getNoticeChoices,
  getSession,
  listAudit,
  listHooks,
  listSubscribers,
  rotateHookSecret,
  testSubscriber,
} from "@lodge/contract/calls.generated";
import { seal, sealingKeys, Unreadable, unseal } from "../../platform/config/seal.ts";
import { type DashboardClient, signedIn } from "../../testing/dashboard-client.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { type Service, startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { subscribe } from "../../testing/subscribe.ts";
import { until } from "../../testing/until.ts";
import { exportOrganisation } from "./export-organisation.ts";
import { importOrganisation } from "./import-organisation.ts";
import { forgetUnreadable, sealStored } from "./seal-stored.ts";

const started = new AsyncDisposableStack();
after(() => started.disposeAsync());
const local = { LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1", LODGE_WEBHOOK_RETRY_SCHEDULE: "1h" };
const receiver = started.use(
  await startReceiver((request, response) => {
    if (request.path.startsWith("/echo")) response.end(JSON.stringify([request.path, request.headers]));
    else if (request.path.startsWith("/away"))
      response.writeHead(302, { location: `http://other.test${request.path}` }).end();
    else response.end();
  }),
);
const githubToken = "github_pat_11SECRETOFTHETEST";
const signingSecret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;
const chatPath = "/services/T0SECRETPATH/B0";
const query = "?key=QUERYSECRET";
const slackUrl = "https://hooks.slack.test/services/MEMBERSECRET";
const inClear = [githubToken, signingSecret, "T0SECRETPATH", "QUERYSECRET", "MEMBERSECRET"];

/** An organisation with one of every secret that people can store. */
async function withSecrets(lodge: Service) {
  const subscribed = await subscribe(lodge, [], {
    members: [{ name: "Ada", email: "ada@acme.test", role: "owner" }],
  });
  const ada = await signedIn(lodge, "ada@acme.test");
  const params = { appId: subscribed.appId };
  const make = async (body: Parameters<typeof ada.call<typeof createSubscriber>>[1]["body"]) =>
    (await ada.call(createSubscriber, { params, body })).subscriber.id;
  const repository = `${receiver.url}/acme/web`;
  const github = await make({ kind: "github", url: repository, token: githubToken });
  const webhook = await make({ kind: "webhook", url: `${receiver.url}/hook${query}`, secret: signingSecret });
  const slack = await make({ kind: "slack", url: `${receiver.url}${chatPath}` });
  await ada.call(changeNoticeChoices, { body: { slackUrl, slack: ["mentioned"] } });
  const { hook } = await ada.call(createHook, { body: { url: `${receiver.url}/told${query}` } });
  await ada.call(rotateHookSecret, { params: { hookId: hook.id } });
  return { ...subscribed, ada, repository, github, webhook, slack, hook };
}

/** Everything in the tables of a database, and in the queue, as text. */
async function readAll({ deps: { pool } }: Service): Promise<string> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select format('%I.%I', nspname, relname) as name from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    where relkind = 'r' and nspname in ('public', 'graphile_worker')`,
  );
  const texts = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(`select to_json(r)::text as row from ${name} r`);
    texts.push(...rows.map(({ row }) => row));
  }
  return texts.join("\n");
}

const lodge = started.use(await startService({ ...withWorker, ...local }));
const made = await withSecrets(lodge);
const { ada } = made;
const params = { appId: made.appId };

test("a copy of the database reveals no usable secret, and the stored secrets still work", async () => {
  const all = await readAll(lodge);
  for (const secret of inClear) assert.ok(!all.includes(secret), secret);
  const [, cookie = ""] = [...ada.cookies.entries()].flat();
  const [token = ""] = decodeURIComponent(cookie).split(".");
  assert.ok(token.length > 20 && !all.includes(token), "the token of a session");
  assert.equal((await ada.call(getSession)).user.email, "ada@acme.test");

  await submitReport(lodge.url, made.key, { reportId: "1" });
  await until(() => receiver.received.some(({ path }) => path === chatPath));
  await until(() => receiver.received.some(({ path }) => path === `/hook${query}`));
  await until(() => receiver.received.some(({ headers }) => headers.authorization === `Bearer ${githubToken}`));
  assert.equal((await ada.call(getNoticeChoices)).slackUrl, slackUrl);
  assert.equal((await ada.call(listHooks)).hooks[0]?.url, `${receiver.url}/told${query}`);
  const { subscribers } = await ada.call(listSubscribers);
  assert.equal(subscribers.find(({ id }) => id === made.slack)?.url, `${receiver.url}${chatPath}`);
  const twin = { kind: "slack", url: `${receiver.url}${chatPath}` };
  assert.equal((await ada("POST", `/apps/${made.appId}/subscribers`, twin)).body.error, "subscriber_exists");
});

test("a stored token is only sent to the repository that it was stored for", async () => {
  const elsewhere = `${receiver.url}/thief/web`;
  const refused = (answer: { status: number; body: Record<string, unknown> }) => {
    assert.deepEqual([answer.status, answer.body.error], [400, "invalid_input"]);
    assert.match(JSON.stringify(answer.body.details), /\/token/);
  };
  refused(await ada("PATCH", `/subscribers/${made.github}`, { url: elsewhere }));
  const asked = { kind: "github", url: elsewhere, subscriberId: made.github };
  refused(await ada("POST", `/apps/${made.appId}/subscribers/test`, asked));
  const ofWebhook = { kind: "github", url: `${receiver.url}/hook/web`, subscriberId: made.webhook };
  refused(await ada("POST", `/apps/${made.appId}/subscribers/test`, ofWebhook));
  assert.deepEqual(
    receiver.received.filter(({ path }) => path.includes("thief")),
    [],
  );

  const before = receiver.received.length;
  const body = { kind: "github" as const, url: made.repository, subscriberId: made.github };
  await ada.call(testSubscriber, { params, body });
  assert.equal(receiver.received[before]?.headers.authorization, `Bearer ${githubToken}`, "sent to its own repository");
  await ada.call(changeSubscriber, { params: { subscriberId: made.github }, body: { url: made.repository } });
});

test("a test with another address is not signed with the stored secret, and every test is in the audit log", async () => {
  const { Webhook } = await import("standardwebhooks");
  const send = async (path: string) => {
    const body = { kind: "webhook" as const, url: `${receiver.url}${path}`, subscriberId: made.webhook };
    await ada.call(testSubscriber, { params, body });
    const message = receiver.received.at(-1);
    assert.equal(message?.path, path);
    return () => new Webhook(signingSecret).verify(message?.body ?? "", message?.headers as Record<string, string>);
  };
  assert.throws(await send("/elsewhere"));
  (await send(`/hook${query}`))();
  const { entries } = await ada.call(listAudit);
  const tests = entries.filter(({ kind }) => kind === "subscriber.tested");
  const [latest] = tests;
  assert.deepEqual(
    [latest?.details.by, latest?.details.subscriberId, latest?.details.receiver],
    ["Ada", made.webhook, `${receiver.url}/hook`],
  );
  assert.ok(tests.some(({ details }) => details.receiver === `${receiver.url}/elsewhere`));
  for (const secret of inClear) assert.ok(!JSON.stringify(entries).includes(secret), secret);
});

test("a secret that a receiver echoes is not shown with the attempt", async () => {
  for (const path of [`/echo${query}`, `/away${query}`]) {
    await ada.call(createSubscriber, { params, body: { kind: "webhook", url: `${receiver.url}${path}` } });
  }
  await submitReport(lodge.url, made.key, { reportId: "2" });
  const attempts = () => lodge.deps.db.selectFrom("delivery_attempts").select(["response", "reason"]).execute();
  await until(
    async () =>
      (await attempts()).filter(({ response, reason }) => /\[hidden\]/.test(`${response}${reason}`)).length === 2,
  );
  assert.ok(!JSON.stringify(await attempts()).includes("QUERYSECRET"));
});

test("a ciphertext cannot be decrypted in another row or column, or with another secret", () => {
  const keys = sealingKeys("a".repeat(32));
  const sealed = seal(keys, "signing_secrets.secret", "one", "plain");
  assert.equal(unseal(keys, "signing_secrets.secret", "one", sealed).toString(), "plain");
  assert.throws(() => unseal(keys, "signing_secrets.secret", "two", sealed), Unreadable);
  assert.throws(() => unseal(keys, "subscribers.sealed_url", "one", sealed), Unreadable);
  assert.throws(() => unseal(sealingKeys("b".repeat(32)), "signing_secrets.secret", "one", sealed), Unreadable);
  const rotated = sealingKeys("b".repeat(32), "a".repeat(32));
  assert.equal(unseal(rotated, "signing_secrets.secret", "one", sealed).toString(), "plain");
});

test("a start with LODGE_SECRET_PREVIOUS rotates LODGE_SECRET, and a wrong secret is reported in one sentence", async () => {
  await using origin = await startService(local);
  await withSecrets(origin);
  const { pool } = origin.deps;
  const fresh = { ...origin.env, LODGE_SECRET: "another secret that only the tests know, long enough" };
  const keys = sealingKeys(fresh.LODGE_SECRET);
  await assert.rejects(startService(fresh), /^\w+: LODGE_SECRET is not the secret that \d+ stored secrets are/);
  {
    await using rotated = await startService({ ...fresh, LODGE_SECRET_PREVIOUS: origin.deps.secret });
    const client = await signedIn(rotated, "ada@acme.test");
    assert.equal((await client.call(getNoticeChoices)).slackUrl, slackUrl);
  }
  assert.equal(await sealStored(pool, keys), 0, "the previous secret is no longer needed");
  await assert.rejects(sealStored(pool, origin.deps.sealing), /LODGE_SECRET is not/);

  const forgotten = await forgetUnreadable(pool, origin.deps.sealing);
  assert.deepEqual(Object.keys(forgotten).sort(), [
    "notice_choices.slack_url",
    "organisation_hooks.previous_secret",
    "organisation_hooks.sealed_url",
    "organisation_hooks.secret",
    "signing_secrets.secret",
    "subscribers.sealed_url",
  ]);
  assert.equal(await sealStored(pool, origin.deps.sealing), 0, "no unreadable secret prevents a start");
  const again = await signedIn(origin, "ada@acme.test");
  assert.equal((await again.call(getNoticeChoices)).slackUrl, null);
});

test("an export counts its secrets in clear text, and works with another LODGE_SECRET", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lodge-secrets-"));
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(() => rm(folder, { recursive: true, force: true }));
  await using origin = await startService(local);
  const { github } = await withSecrets(origin);
  const file = join(folder, `${randomUUID()}.gz`);
  const receipt = await exportOrganisation(origin.deps, "acme", file);
  assert.deepEqual(receipt.secretsInClear, {
    "notice_choices.slack_url": 1,
    "organisation_hooks.previous_secret": 1,
    "organisation_hooks.sealed_url": 1,
    "organisation_hooks.secret": 1,
    "signing_secrets.secret": 2,
    "subscribers.sealed_url": 2,
  });
  assert.equal(receipt.secretsLost, 0);
  const text = gunzipSync(await readFile(file)).toString();
  for (const secret of inClear) assert.ok(text.includes(secret), secret);

  await using there = await startService({ ...local, LODGE_SECRET: "a secret of quite another installation" });
  await importOrganisation(there.deps, file);
  const all = await readAll(there);
  for (const secret of inClear) assert.ok(!all.includes(secret), secret);
  const client: DashboardClient = await signedIn(there, "ada@acme.test");
  assert.equal((await client.call(getNoticeChoices)).slackUrl, slackUrl);
  const { rows } = await there.deps.pool.query("select secret from signing_secrets where subscriber_id = $1", [github]);
  assert.equal(unseal(there.deps.sealing, "signing_secrets.secret", github, rows[0].secret).toString(), githubToken);
});
