import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import {
  changeApp,
  createApp,
  createKey,
  getApp,
  listApps,
  listRefusals,
  rotateKey,
} from "@lodge/contract/calls.generated";
import type { App } from "@lodge/contract/dashboard/apps";
import { signedIn, twoOrganisations } from "../../testing/dashboard-client.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";
import { sweepRefusals } from "../reports/sweep-refusals.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const clock = movableClock();
const lodge = stack.use(await startService({}, { clock }));
await twoOrganisations(lodge);
const ada = await signedIn(lodge, "ada@acme.test");
const mel = await signedIn(lodge, "mel@acme.test");

const send = async (key: string | undefined, envelope: object | string = { reportId: randomUUID() }) => {
  const form = new FormData();
  form.set("envelope", new Blob([typeof envelope === "string" ? envelope : JSON.stringify(envelope)]));
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${lodge.url}/api/ingest`, { method: "POST", headers, body: form })).status;
};
/** Moves the clock forward, and keeps the sessions of signed-in members alive. */
const later = async (ms: number) => {
  clock.move(ms);
  const expires = new Date(clock.now().getTime() + 86_400_000);
  await lodge.deps.pool.query("update sessions set expires_at = $1", [expires]);
};
const keyOf = ({ keys }: App, index = 0) => keys[index]?.key ?? "";
const auditOf = async (app: string) => {
  const { rows } = await lodge.deps.pool.query<{ kind: string; details: Record<string, unknown> }>(
    "select kind, details from audit_entries where details->>'app' = $1 order by id",
    [app],
  );
  return rows;
};

test("an app is created with a slug and a key, and every member sees it", async () => {
  const made = await ada.call(createApp, { body: { name: "Küchen-App" } });
  assert.deepEqual(
    [made.slug, made.enabled, made.replies, made.origins, made.settings],
    ["kuchen-app", true, false, [], {}],
  );
  assert.equal((await ada.call(createApp, { body: { name: "Küchen-App" } })).slug, "kuchen-app-2");
  assert.equal(made.lastReceivedAt, null);
  await submitReport(lodge.url, keyOf(made), { reportId: "1" });
  const seen = await mel.call(getApp, { params: { appId: made.id } });
  assert.notEqual(seen.lastReceivedAt, null);
  assert.deepEqual(
    seen.keys.map(({ name, recentReportCount, endsAt }) => [name, recentReportCount, endsAt]),
    [["default", 1, null]],
  );
  const { apps } = await mel.call(listApps);
  assert.deepEqual(
    apps.map(({ slug, keyCount }) => [slug, keyCount]),
    [
      ["kuchen-app", 1],
      ["kuchen-app-2", 1],
    ],
  );
});

test("a change to an app reaches its SDKs, and the audit log records who made it", async () => {
  const { id: appId, ...made } = await ada.call(createApp, { body: { name: "Shop" } });
  const body = {
    replies: true,
    tellsFixes: true,
    enabled: false,
    origins: ["https://shop.test", "capacitor://localhost"],
    settings: { a: [1] },
  };
  const changed = await ada.call(changeApp, { params: { appId }, body });
  const { replies, tellsFixes, enabled, origins, settings } = changed;
  assert.deepEqual({ replies, tellsFixes, enabled, origins, settings }, body);
  const asked = await lodge.request("GET", "/api/config", {
    headers: { authorization: `Bearer ${keyOf(changed)}`, origin: "https://shop.test" },
  });
  assert.deepEqual([asked.body.enabled, asked.body.settings], [false, { a: [1] }]);
  assert.equal(asked.headers.get("access-control-allow-origin"), "https://shop.test");
  const renamed = await ada.call(changeApp, { params: { appId }, body: { name: "Store", origins: [] } });
  assert.deepEqual([renamed.name, renamed.slug, renamed.origins], ["Store", made.slug, []]);
  assert.deepEqual(await ada.call(changeApp, { params: { appId }, body: { name: "Store" } }), renamed);
  const kinds = (await auditOf("Shop")).map(({ kind, details }) => [kind, details.userName]);
  assert.deepEqual(kinds, [
    ["app.created", "Ada Acme"],
    ["app.changed", "Ada Acme"],
    ["app.changed", "Ada Acme"],
  ]);
});

test("invalid fields of an app are refused, with their paths", async () => {
  const { id } = await ada.call(createApp, { body: { name: "Strict" } });
  const deep = JSON.parse(`${'{"a":'.repeat(30)}1${"}".repeat(30)}`);
  const wrong: [object, string][] = [
    [{ origins: ["https://shop.test/"] }, "/origins/0"],
    [{ origins: ["https://shop.test", "https://Shop.test"] }, "/origins/1"],
    [{ origins: ["shop.test"] }, "/origins/0"],
    [{ origins: ["https://shop.test:443"] }, "/origins/0"],
    [{ origins: Array.from({ length: 101 }, (_, index) => `https://${index}.test`) }, "/origins"],
    [{ settings: { text: "x".repeat(16_400) } }, "/settings"],
    [{ settings: deep }, "/settings"],
    [{ settings: { text: "a\0" } }, "/settings"],
    [{ settings: { "\ud800": 1 } }, "/settings"],
    [{ settings: [] }, "/settings"],
    [{ name: " " }, "/name"],
    [{ slug: "other" }, "/slug"],
  ];
  for (const [body, path] of wrong) {
    const { status, body: refusal } = await ada("PATCH", `/apps/${id}`, body);
    const [problem] = refusal.details as { path: string }[];
    assert.deepEqual(
      [status, refusal.error, problem?.path],
      [400, "invalid_input", path],
      JSON.stringify(body).slice(0, 80),
    );
  }
});

test("during a key rotation both keys are accepted until the set time, and a revoked key is refused immediately", async () => {
  const made = await ada.call(createApp, { body: { name: "Rotating" } });
  const { id: appId } = made;
  const [first] = made.keys;
  const params = { appId, keyId: first?.id ?? "" };
  const second = await ada.call(rotateKey, { params, body: { overlapDays: 30 } });
  assert.equal(second.name, first?.name);
  assert.deepEqual([await send(first?.key), await send(second.key)], [200, 200]);
  assert.equal(
    (await ada("POST", `/apps/${appId}/keys/${first?.id}/rotate`, { overlapDays: 1 })).status,
    404,
    "a replaced key cannot be rotated again",
  );
  await later(30 * 86_400_000 - 60_000); // a minute less, since the clock also runs during the test
  assert.equal(await send(first?.key), 200);
  await later(60_000);
  assert.deepEqual([await send(first?.key), await send(second.key)], [401, 200]);

  const beta = await ada.call(createKey, { params: { appId }, body: { name: "beta" } });
  const taken = await ada("POST", `/apps/${appId}/keys`, { name: "beta" });
  assert.deepEqual([taken.status, taken.body.error], [409, "key_name_taken"]);
  const third = await ada.call(rotateKey, { params: { appId, keyId: second.id }, body: { overlapDays: 0 } });
  assert.deepEqual([await send(second.key), await send(third.key)], [401, 200]);
  const fourth = await ada.call(rotateKey, { params: { appId, keyId: third.id }, body: { overlapDays: 1 } });
  assert.equal(
    (await ada("DELETE", `/apps/${appId}/keys/${third.id}`)).status,
    204,
    "a replaced key can be revoked early",
  );
  assert.equal((await ada("DELETE", `/apps/${appId}/keys/${third.id}`)).status, 404);
  assert.deepEqual([await send(third.key), await send(fourth.key), await send(beta.key)], [401, 200, 200]);
  const now = await ada.call(getApp, { params: { appId } });
  assert.deepEqual(
    now.keys.map(({ id }) => id),
    [beta.id, fourth.id],
  );
  const kinds = (await auditOf("Rotating")).map(({ kind }) => kind);
  assert.deepEqual(kinds, ["app.created", "key.rotated", "key.created", "key.rotated", "key.rotated", "key.revoked"]);
});

test("refusals are shown by day, code and key for recent days only, and are deleted after 90 days", async () => {
  const app = await ada.call(createApp, { body: { name: "Refused" } });
  const params = { appId: app.id };
  const refusalsOf = async (days?: string) =>
    (await mel.call(listRefusals, { params, query: days ? { days } : {} })).refusals.map(
      ({ day, code, key, count }) => [day, code, key.name, count],
    );
  const today = () => clock.now().toISOString().slice(0, 10);
  await later(1.5 * 86_400_000 - (clock.now().getTime() % 86_400_000)); // to noon, so that no day ends during the test
  const first = today();
  for (let count = 0; count < 3; count++) assert.equal(await send(keyOf(app), "{"), 400);
  assert.equal(await send("ldgpub_000000000000000000000000000"), 401); // an unknown key
  await until(async () => (await refusalsOf())[0]?.[3] === 3);
  assert.equal(await send(keyOf(app), { reportId: 7 }), 400);
  await until(async () => (await refusalsOf()).length === 2);
  assert.equal(await send(keyOf(app)), 200);
  assert.deepEqual(await refusalsOf(), [
    [first, "envelope_invalid_json", "default", 3],
    [first, "schema_validation_failed", "default", 1],
  ]);
  const listed = (await mel.call(listApps)).apps.find(({ id }) => id === app.id);
  assert.equal(listed?.refusedCount, 4);
  const crowd = 3_000_000_000;
  await lodge.deps.db.updateTable("refusals").set({ count: crowd }).where("app_id", "=", app.id).execute();
  assert.equal((await mel.call(listApps)).apps.find(({ id }) => id === app.id)?.refusedCount, 2 * crowd);
  assert.equal((await refusalsOf())[0]?.[3], crowd);

  await later(8 * 86_400_000);
  assert.equal(await send(keyOf(app), "{"), 400);
  await until(async () => (await refusalsOf()).length === 3);
  assert.deepEqual(await refusalsOf("8"), [[today(), "envelope_invalid_json", "default", 1]]);
  for (const days of ["0", "91"]) assert.equal((await mel("GET", `/apps/${app.id}/refusals?days=${days}`)).status, 400);
  await later(83 * 86_400_000);
  assert.equal(await sweepRefusals(lodge.deps), 2);
});
