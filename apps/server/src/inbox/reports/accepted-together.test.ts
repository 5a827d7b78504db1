import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { World } from "@lodge/contract/world";
import { begin } from "../../testing/begin.ts";
import { envelopePart } from "../../testing/encode-form.ts";
import { randomBytes } from "../../testing/random.ts";
import { type Door, startDoor } from "../../testing/start-door.ts";
import { makePatientDatabase, startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";
import { reportDigest } from "./report-digest.ts";

// Reports that arrive at the same time share a statement. None of them may be affected by the others.

const boards = { kind: "board", project: "web", board: "Inbox", column: "Backlog" } as const;
const acme: World = {
  organisation: { name: "Acme", slug: "acme" },
  projects: [
    { name: "Web", slug: "web", boards: ["Inbox", "Crashes"].map((name) => ({ name, columns: ["Backlog"] })) },
  ],
  apps: [
    { name: "Told", slug: "told", keys: ["default"], subscribers: [boards, { ...boards, board: "Crashes" }] },
    { name: "Replied", slug: "replied", keys: ["default"], replies: true, subscribers: [boards] },
    { name: "Bare", slug: "bare", keys: ["default"] },
  ],
};
const other: World = {
  organisation: { name: "Other", slug: "other" },
  apps: [{ name: "Other", slug: "other", keys: ["default"], replies: true }],
};

test("many reports at the same time each become an event with everything that their app has configured", async () => {
  await using lodge = await startService({ LODGE_ROLES: "api,ingest" });
  const apps = [...(await lodge.apply(acme)).apps, ...(await lodge.apply(other)).apps];
  const wanted: Record<string, { deliveries: number; replies: boolean }> = {
    told: { deliveries: 2, replies: false },
    replied: { deliveries: 1, replies: true },
    bare: { deliveries: 0, replies: false },
    other: { deliveries: 0, replies: true },
  };
  // For each app: small and large reports, with and without attachments, from new and known installs. All apps use the
  // same reportIds.
  const sent = await Promise.all(
    apps.flatMap((app) =>
      Array.from({ length: 24 }, async (_, index) => {
        const files = Array.from({ length: index % 3 }, (__, file) => ({
          partName: `file ${file}`,
          bytes: randomBytes(100 + index),
        }));
        const envelope = {
          reportId: `report ${index}`,
          title: `${app.slug} ${index}`,
          message: "x".repeat(index === 5 ? 20_000 : 10),
          context: { padding: "y".repeat(index === 6 ? 200_000 : index) },
          ...(index % 4 === 0 && { installId: `install ${index % 8}` }),
        };
        const receipt = await submitReport(lodge.url, app.keys[0]?.key ?? "", envelope, files);
        return { app, envelope, files, receipt };
      }),
    ),
  );

  for (const { app, envelope, files, receipt } of sent) {
    const { deliveries, replies } = wanted[app.slug] ?? { deliveries: -1, replies: false };
    const name = envelope.title;
    assert.deepEqual([receipt.idempotent, receipt.deliveryCount], [false, deliveries], name);
    const event = await lodge.deps.db
      .selectFrom("events")
      .selectAll()
      .where("app_id", "=", app.id)
      .where("report_id", "=", envelope.reportId)
      .executeTakeFirstOrThrow();
    assert.equal(event.id, receipt.eventId);
    assert.equal(event.sdk_key_id, app.keys[0]?.id);
    assert.equal((JSON.parse(event.envelope.toString()) as { title: string }).title, name);
    assert.equal(event.delivery_count, deliveries);

    const artifacts = await lodge.deps.db
      .selectFrom("artifacts")
      .select(["part_name", "sha256"])
      .where("event_id", "=", event.id)
      .orderBy("position")
      .execute();
    assert.deepEqual(
      artifacts.map(({ part_name, sha256 }) => [part_name, sha256.toString("hex")]),
      files.map(({ partName, bytes }) => [partName, createHash("sha256").update(bytes).digest("hex")]),
      name,
    );
    const queued = await lodge.deps.db
      .selectFrom("deliveries")
      .innerJoin("subscribers", "subscribers.id", "deliveries.subscriber_id")
      .select("subscribers.app_id")
      .where("event_id", "=", event.id)
      .execute();
    assert.deepEqual(
      queued.map(({ app_id }) => app_id),
      Array.from({ length: deliveries }, () => app.id),
      name,
    );
    const threads = await lodge.deps.db
      .selectFrom("threads")
      .select("id")
      .where("event_id", "=", event.id)
      .where("app_id", "=", app.id)
      .execute();
    assert.deepEqual(
      threads.map(({ id }) => id),
      replies ? [receipt.thread?.id] : [],
      name,
    );
    assert.equal(receipt.thread !== undefined, replies, name);
  }
  const { rows: installs } = await lodge.deps.pool.query("select from active_installs");
  assert.equal(installs.length, 2 * apps.length, "each install of each app counts once");
  const { rows: woken } = await lodge.deps.pool.query<{ app_id: string; subscriber_ids: string[] }>(
    "select distinct payload ->> 'appId' as app_id, payload ->> 'subscriberIds' as subscriber_ids from graphile_worker._private_jobs",
  );
  assert.equal(woken.length, 2, "one job for each of the two apps with subscribers");
});

test("of concurrent reports with one reportId, one is new, and reports with other ids are not affected", async () => {
  await using door = await startDoor();
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => door.submit([envelopePart({ reportId: `${index % 5}` })])),
  );
  assert.ok(answers.every(({ status }) => status === 200));
  for (const [index, { body }] of answers.entries()) assert.equal(body.eventId, answers[index % 5]?.body.eventId);
  assert.equal(answers.filter(({ body }) => body.idempotent === false).length, 5);
  assert.deepEqual(await door.reportIds(), ["0", "1", "2", "3", "4"]);
});

test("a report that fails in the database does not fail others", async () => {
  await using door = await startDoor();
  await door.deps.pool.query("alter table events add check (report_id <> 'poison')");
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      door.submit([envelopePart({ reportId: index === 10 ? "poison" : `${index}` })]),
    ),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map((_, index) => (index === 10 ? 500 : 200)),
  );
  assert.equal((await door.reportIds()).length, 19);
});

test("reports that wait for a lock do not delay others", async () => {
  await using patient = await makePatientDatabase();
  await using door = await startDoor(patient.env, patient.overrides);
  const { apps } = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Other", slug: "other", keys: ["default"] }],
  });
  const other = { authorization: `Bearer ${apps[0]?.keys[0]?.key}` };
  const holder = await door.deps.pool.connect();
  try {
    await holder.query(begin);
    await holder.query(
      "insert into report_ids (app_id, digest, event_id, delivery_count) values ($1, $2, uuidv7(), 0)",
      [door.appId, reportDigest(door.appId, "held")],
    );
    const waiting = [];
    for (let count = 1; count <= 3; count += 1) {
      waiting.push(door.submit([envelopePart({ reportId: "held" })]));
      await until(async () => (await waitingForLocks(door)) === count);
    }
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, index) => door.submit([envelopePart({ reportId: `${index}` })], {}, other)),
    );
    assert.ok(answers.every(({ status }) => status === 200));
    assert.equal(await waitingForLocks(door), 3);
    await holder.query("rollback");
    const received = await Promise.all(waiting);
    assert.deepEqual(received.map(({ body }) => body.idempotent).sort(), [false, true, true]);
  } finally {
    holder.release(true);
  }
});

async function waitingForLocks({ deps }: Door): Promise<number> {
  const { rows } = await deps.pool.query<{ count: number }>(
    "select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows[0]?.count ?? 0;
}

test("concurrent requests are distinguished by their keys, and each is counted", async () => {
  await using door = await startDoor({
    LODGE_INGEST_RATE_LIMITS: "on",
    LODGE_INGEST_KEY_RATE_PER_MINUTE: "7",
    LODGE_INGEST_IP_RATE_PER_MINUTE: "5",
    LODGE_TRUSTED_PROXIES: "127.0.0.1",
  });
  const { apps } = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: ["a", "b", "c"].map((slug) => ({ name: slug, slug, keys: ["default"] })),
  });
  const [a, b, c] = apps.map(({ keys }) => keys[0]?.key);
  const statusCounts = async (key: string | undefined, addressOf: (index: number) => string) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const headers = { authorization: `Bearer ${key}`, "x-forwarded-for": addressOf(index) };
        return door.submit([envelopePart({ reportId: `${index}` })], {}, headers);
      }),
    );
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    return [count(200), count(429), count(401)];
  };
  const own = (index: number) => `192.0.2.${index}`;
  const shared = () => "198.51.100.1";
  assert.deepEqual(
    await Promise.all([statusCounts(a, own), statusCounts(b, shared), statusCounts("ldgpub_unknown", shared)]),
    [
      [7, 13, 0],
      [5, 15, 0],
      [0, 0, 20],
    ],
  );
  assert.deepEqual(await statusCounts(c, shared), [0, 20, 0], "the address's limit is used up, whatever the key");
  assert.deepEqual(
    await statusCounts(a, () => "203.0.113.1"),
    [0, 20, 0],
    "the key's limit is used up, whatever the address",
  );
});
