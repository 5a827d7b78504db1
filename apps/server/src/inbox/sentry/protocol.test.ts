import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { getEvent, listRefusals } from "@lodge/contract/calls.generated";
import { errors } from "@lodge/contract/errors";
import { signedIn } from "../../testing/dashboard-client.ts";
import { type SentryItem, sentryEnvelope } from "../../testing/sentry-envelope.ts";
import { assertStoreIsWhole } from "../../testing/start-door.ts";
import { assertRefused, eventItem, newEventId, startSentryDoor } from "../../testing/start-sentry-door.ts";
import { readEvents } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";

// The results of everything that Sentry clients send, whichever client it is (contract section 3, Sentry's protocol).

const door = await startSentryDoor({ LODGE_INGEST_ATTACHMENT_BYTES: "1000000" });
after(() => door[Symbol.asyncDispose]());
const { auth, number, postBody: post, send, stored } = door;
const { db } = door.deps;

test("the key may be in X-Sentry-Auth, in the query or in the envelope's DSN", async () => {
  const body = (header = {}) => {
    const id = newEventId();
    return [id, sentryEnvelope({ event_id: id, ...header }, [eventItem(id)])] as const;
  };
  for (const slash of ["", "/"]) {
    const path = `/api/${number}/envelope${slash}`;
    for (const [[id, bytes], headers, query] of [
      [body(), auth, ""],
      [body(), { "x-sentry-auth": `sentry_key=${door.key}` }, ""],
      [body(), {}, `?sentry_version=7&sentry_key=${door.key}`],
      [body({ dsn: door.dsn }), {}, ""],
    ] as const) {
      const answer = await post(bytes, headers, path + query);
      assert.deepEqual([answer.status, answer.body], [200, { id }], answer.text);
    }
  }
});

test("a missing key, an unknown key and another app's key get 401 invalid_sdk_key", async () => {
  const other = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Other", slug: "other", keys: ["default"] }],
  });
  const [{ keys: [{ key }] = [{ key: "" }], number: otherNumber } = { number: 0 }] = other.apps;
  assert.ok(otherNumber >= 1 && otherNumber <= 2_147_483_647);
  const body = sentryEnvelope({}, [eventItem(newEventId())]);
  for (const [headers, query] of [
    [{}, ""],
    [{ "x-sentry-auth": "Sentry sentry_key=wrong" }, ""],
    [{ "x-sentry-auth": `Sentry sentry_key=${key}` }, ""],
    [{}, `?sentry_key=${key}`],
  ] as const) {
    await assertRefused(post(body, headers, `/api/${number}/envelope/${query}`), 401, "invalid_sdk_key");
  }
  const ofOther = sentryEnvelope({ dsn: door.dsn.replace(door.key, key) }, []);
  assert.equal((await post(ofOther)).status, 200); // the HTTP header takes precedence
  await assertRefused(post(ofOther, {}), 401, "invalid_sdk_key");
  await assertRefused(post(sentryEnvelope({ dsn: "no address" }, []), {}), 401, "invalid_sdk_key");
  for (const path of ["store", "envelope"]) {
    await assertRefused(post(body, auth, `/api/${otherNumber}/${path}/`), 401, "invalid_sdk_key");
    await assertRefused(post(body, auth, `/api/none/${path}/`), 401, "invalid_sdk_key");
    await assertRefused(post(body, auth, `/api/${"9".repeat(1_000)}/${path}/`), 401, "invalid_sdk_key");
  }
});

test("an event_id becomes the reportId, in hexadecimal without hyphens, and a repeat is stored once", async () => {
  const uuid = randomUUID();
  const id = uuid.replaceAll("-", "");
  for (const event_id of [uuid, id, uuid.toUpperCase()]) {
    const answer = await send([[{ type: "event" }, { message: event_id }]], { event_id });
    assert.deepEqual(answer.body, { id });
  }
  const { count } = await db
    .selectFrom("events")
    .select((make) => make.fn.countAll<number>().as("count"))
    .where("report_id", "=", id)
    .executeTakeFirstOrThrow();
  assert.equal(Number(count), 1);
});

test("the original is kept byte for byte, in every encoding, with and without a length", async () => {
  const encoders: Record<string, (bytes: Buffer) => Buffer> = {
    identity: (bytes) => bytes,
    gzip: gzipSync,
    deflate: deflateSync,
    br: brotliCompressSync,
    zstd: zstdCompressSync,
  };
  for (const [encoding, encode] of Object.entries(encoders)) {
    for (const length of [undefined, null]) {
      const id = newEventId();
      const text = `{"event_id" : "${id}", "message":"caf\\u00e9 \u00e9 \\ud800", "unknown": 1e3}`;
      const body = sentryEnvelope({}, [[{ type: "event", ...(length === null && { length: undefined }) }, text]]);
      const answer = await post(encode(body), { ...auth, "content-encoding": encoding });
      assert.deepEqual(answer.body, { id }, answer.text);
      const { original, envelope } = await stored(id);
      assert.equal(original?.toString(), text);
      assert.equal(envelope.message, "caf\u00e9 \u00e9 \ud800");
    }
  }
  await assertRefused(
    post(sentryEnvelope({}, []), { ...auth, "content-encoding": "compress" }),
    400,
    "invalid_sentry_envelope",
  );
});

test("attachments of the envelope become those of the report, except for large ones and those after the fifth", async () => {
  const id = newEventId();
  const bytes = randomBytes(70_000);
  const answer = await send([
    [{ type: "attachment", filename: "dump.dmp", attachment_type: "event.minidump" }, bytes],
    [{ type: "attachment", filename: "large.bin" }, Buffer.alloc(1_000_001)],
    ...["b", "c"].map((name): SentryItem => [{ type: "attachment", filename: name, content_type: "text/plain" }, name]),
    eventItem(id),
    ...["d", "e", "f", "g"].map((name): SentryItem => [{ type: "attachment", filename: name }, name]),
  ]);
  assert.deepEqual(answer.body, { id }, answer.text);
  const { envelope } = await stored(id);
  assert.deepEqual(
    envelope.attachments?.map(({ filename }) => filename),
    ["dump.dmp", "b", "c", "d", "e"],
  );
  assert.deepEqual(envelope.dropped, [
    { partName: "large.bin", reason: "larger than 1000000 bytes", byteLength: 1_000_001 },
    { partName: "f", reason: "more than 5 attachments", byteLength: 1 },
    { partName: "g", reason: "more than 5 attachments", byteLength: 1 },
  ]);
  await send([eventItem(id), [{ type: "attachment", filename: "again" }, "x"]]);
  await assertStoreIsWhole(door.deps, door.deps.config.dataDir);
});

test("feedback becomes separate reports, linked to the event that they name", async () => {
  const [id, feedbackId] = [newEventId(), newEventId()];
  const answer = await send([
    eventItem(id),
    [{ type: "user_report" }, { event_id: id, name: "Ada", email: "ada@example.test", comments: "It broke." }],
    [
      { type: "feedback" },
      {
        event_id: feedbackId,
        contexts: {
          feedback: { message: "Still broken.", contact_email: "bob@example.test", associated_event_id: id },
        },
      },
    ],
  ]);
  assert.deepEqual(answer.body, { id });
  const rows = await db
    .selectFrom("events")
    .select("envelope")
    .where("report_id", "<>", id)
    .orderBy("id", "desc")
    .limit(2)
    .execute();
  const [later, earlier] = rows.map(({ envelope }) => JSON.parse(envelope.toString()));
  assert.deepEqual(
    [later.reportId, later.kind, later.message, later.user, later.tags],
    [feedbackId, "feedback", "Still broken.", { email: "bob@example.test" }, { event: id }],
  );
  assert.deepEqual(
    [earlier.kind, earlier.message, earlier.user, earlier.tags],
    ["feedback", "It broke.", { name: "Ada", email: "ada@example.test" }, { event: id }],
  );
});

test("an event's page offers its original, and feedback and its event link to each other", async () => {
  const [id, feedbackId] = [newEventId(), newEventId()];
  const ada = await signedIn(door, "ada@acme.test");
  const text = `{ "event_id":"${id}","message":"shown" }`;
  await send([
    [
      { type: "feedback" },
      { event_id: feedbackId, contexts: { feedback: { message: "Oh.", associated_event_id: id } } },
    ],
  ]);
  const eventOf = (reportId: string) =>
    db.selectFrom("events").select("id").where("report_id", "=", reportId).executeTakeFirstOrThrow();
  const before = await ada.call(getEvent, { params: { eventId: (await eventOf(feedbackId)).id } });
  assert.equal(before.aboutEventId, null, "the event has not arrived yet");
  await send([[{ type: "event" }, text]]);
  await readEvents(door.deps);
  const event = await ada.call(getEvent, { params: { eventId: (await eventOf(id)).id } });
  const original = await fetch(event.originalUrl ?? "");
  assert.deepEqual([original.status, await original.text()], [200, text]);
  assert.match(original.headers.get("content-disposition") ?? "", /^attachment; filename="event.json"/);
  assert.deepEqual(
    event.feedback.map(({ eventId, message }) => [eventId, message]),
    [[(await eventOf(feedbackId)).id, "Oh."]],
  );
  const feedback = await ada.call(getEvent, { params: { eventId: (await eventOf(feedbackId)).id } });
  assert.equal(feedback.aboutEventId, event.id);
});

test("feedback that names an event of another app is not linked", async () => {
  const other = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Elsewhere", slug: "elsewhere", keys: ["default"] }],
  });
  const app = other.apps[0];
  const [id, feedbackId] = [newEventId(), newEventId()];
  await send([eventItem(id)]);
  const feedback = { message: "Not yours.", associated_event_id: id };
  const items: SentryItem[] = [[{ type: "feedback" }, { event_id: feedbackId, contexts: { feedback } }]];
  const path = `/api/${app?.number}/envelope/?sentry_key=${app?.keys[0]?.key}`;
  assert.equal((await post(sentryEnvelope({}, items), {}, path)).status, 200);
  await readEvents(door.deps);
  const ada = await signedIn(door, "ada@acme.test");
  const shown = async (reportId: string) => {
    const row = db.selectFrom("events").select("id").where("report_id", "=", reportId);
    return ada.call(getEvent, { params: { eventId: (await row.executeTakeFirstOrThrow()).id } });
  };
  assert.equal((await shown(feedbackId)).aboutEventId, null);
  assert.deepEqual((await shown(id)).feedback, []);
});

test("an envelope without an event gets {} as the answer, and items that are not stored are counted by type", async () => {
  const items: SentryItem[] = [
    ...["transaction", "session", "replay_event", "replay_event", "check_in", "invented"].map(
      (type): SentryItem => [{ type }, {}],
    ),
    [{ type: "attachment", filename: "alone" }, "bytes"],
  ];
  const answer = await send(items);
  assert.deepEqual([answer.status, answer.text], [200, "{}"]);
  const read = () => db.selectFrom("unstored_items").select(["type", "count"]).orderBy("type").execute();
  await until(async () => (await read()).length === 6);
  assert.deepEqual(Object.fromEntries((await read()).map(({ type, count }) => [type, Number(count)])), {
    attachment: 1,
    check_in: 1,
    other: 1,
    replay_event: 2,
    session: 1,
    transaction: 1,
  });
  const ada = await signedIn(door, "ada@acme.test");
  const { unstored, discarded, refusals } = await ada.call(listRefusals, { params: { appId: door.appId } });
  assert.deepEqual([unstored[0]?.type, unstored[0]?.count, discarded], ["replay_event", 2, []]);
  assert.ok(refusals.every(({ code }) => code in errors));
  await assertStoreIsWhole(door.deps, door.deps.config.dataDir);
});

test("a client report is added to the refused reports by its category and reason", async () => {
  const events = [
    { reason: "queue_overflow", category: "error", quantity: 3 },
    { reason: "sample_rate", category: "transaction", quantity: 40 },
    { reason: "x".repeat(100), category: "error", quantity: 2 },
    { reason: "before_send", category: "error", quantity: -1 },
  ];
  assert.equal((await send([[{ type: "client_report" }, { discarded_events: events }]])).text, "{}");
  assert.equal((await send([[{ type: "client_report" }, "no JSON"]])).text, "{}");
  const read = async () => (await door.refusals(0)) as Record<string, number>;
  await until(async () => (await read())["client_discarded:error:queue_overflow"] === 3);
  const { "client_discarded:transaction:sample_rate": sampled, "client_discarded:error:other": other } = await read();
  assert.deepEqual([sampled, other], [40, 2]);
  const ada = await signedIn(door, "ada@acme.test");
  const { discarded, refusals } = await ada.call(listRefusals, { params: { appId: door.appId } });
  assert.deepEqual(discarded[0], { category: "transaction", reason: "sample_rate", count: 40 });
  assert.ok(refusals.every(({ code }) => code in errors));
});
