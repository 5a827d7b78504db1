import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { eventPollsMax, eventsPageBytesMax, type PolledEvents } from "@lodge/contract/events";
import { begin } from "../../testing/begin.ts";
import { randomNumber } from "../../testing/random.ts";
import { startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";
import { readEvents } from "../problems/read-events.ts";
import { adoptEvents } from "../reports/adopt-events.ts";
import { writeEventCursor } from "./event-cursor.ts";

const lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "100000" });
after(() => lodge[Symbol.asyncDispose]());

/** An organisation with two apps and a token that may read their events. */
async function makeReader(server = lodge) {
  const slug = `acme-${randomUUID()}`;
  const { organisation, apps, tokens } = await server.apply({
    organisation: { name: "Acme", slug },
    apps: ["ios", "web"].map((slug) => ({ name: slug, slug, keys: ["default"] })),
    tokens: [{ name: "Reader", scope: [], permissions: ["events:read"] }],
  });
  const [ios, web] = apps.map(({ id, keys: [key] }) => ({ id, key: key?.key ?? "" }));
  assert.ok(ios && web);
  const ask = (query: Record<string, string> = {}, signal?: AbortSignal) =>
    fetch(`${server.url}/api/v1/events?${new URLSearchParams(query)}`, {
      headers: { authorization: `Bearer ${tokens[0]?.secret}` },
      ...(signal && { signal }),
    });
  /** Like `ask`, but retried while the token has too many requests waiting. */
  const held = async (...input: Parameters<typeof ask>) => {
    let answer = await ask(...input);
    while (answer.status === 429) answer = await ask(...input);
    return answer;
  };
  const poll = async (query: Record<string, string> = {}) => {
    const answer = await server.request("GET", `/api/v1/events?${new URLSearchParams(query)}`, {
      headers: { authorization: `Bearer ${tokens[0]?.secret}` },
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.body as unknown as PolledEvents;
  };
  /** Collects this many events. A long transaction in another database of the same PostgreSQL can delay them. */
  const collect = async (count: number, query: Record<string, string> = {}) => {
    const page = await poll({ ...query, wait: "60" });
    while (page.events.length < count) {
      const { events, next } = await poll({ ...query, after: page.next, wait: "60" });
      page.events.push(...events);
      page.next = next;
    }
    return page;
  };
  return { organisation, tokenId: tokens[0]?.id ?? "", ios, web, ask, held, poll, collect };
}

const idsOf = ({ events }: PolledEvents) => events.map(({ reportId }) => reportId);

test("events are read page by page in the form that webhooks get, only of the organisation's apps", async () => {
  const acme = await makeReader();
  const umbra = await makeReader();
  const envelope = '{"reportId":"1", "title":"Crash", "context":{"big":12345678901234567890}}';
  const receipt = await submitReport(lodge.url, acme.ios.key, envelope);
  const attachment = { partName: "log", bytes: Buffer.from("what was"), filename: "log.txt" };
  await submitReport(lodge.url, acme.web.key, { reportId: "2" }, [attachment]);
  await submitReport(lodge.url, umbra.ios.key, { reportId: "theirs" });

  await acme.collect(2);
  const text = await (await acme.ask()).text();
  assert.ok(text.includes(`"envelope":${envelope},"attachments":[]}`), "the envelope is listed byte for byte");
  const page = JSON.parse(text) as PolledEvents;
  assert.deepEqual(idsOf(page), ["1", "2"]);
  assert.deepEqual([page.events[0]?.eventId, page.events[0]?.appId], [receipt.eventId, acme.ios.id]);
  const [log] = page.events[1]?.attachments ?? [];
  assert.equal(log?.filename, "log.txt");
  assert.equal(await (await fetch(log?.url ?? "")).text(), "what was");

  assert.deepEqual(idsOf(await acme.poll({ app: "web" })), ["2"]);
  const end = await acme.poll({ after: page.next });
  assert.deepEqual(end, { events: [], next: page.next });
  await submitReport(lodge.url, acme.ios.key, { reportId: "3" });
  assert.deepEqual(idsOf(await acme.collect(1, { after: end.next })), ["3"]);
  assert.deepEqual(idsOf(await umbra.collect(1)), ["theirs"]);
});

test("`after=latest` starts with the next event", async () => {
  const { ios, poll, collect } = await makeReader();
  await submitReport(lodge.url, ios.key, { reportId: "before" });
  await collect(1);
  const { events, next } = await poll({ after: "latest" });
  assert.deepEqual(events, []);
  await submitReport(lodge.url, ios.key, { reportId: "after" });
  assert.deepEqual(idsOf(await collect(1, { after: next })), ["after"]);
});

test("invalid parameters are refused by name, and another organisation's cursor and app are refused like unknown ones", async () => {
  const acme = await makeReader();
  const umbra = await makeReader();
  await submitReport(lodge.url, acme.ios.key, { reportId: "1" });
  const { next } = await acme.collect(1);
  const { organisation } = umbra;
  await lodge.apply({
    organisation: { name: organisation.slug, slug: organisation.slug },
    apps: [{ name: "a", slug: "theirs" }],
  });
  const flipped = `${next.slice(0, 5)}${next[5] === "A" ? "B" : "A"}${next.slice(6)}`;
  for (const after of ["", "0", "latest ", "\u0000", flipped, `${next}=`, next.slice(1), (await umbra.poll()).next]) {
    const answer = await acme.ask({ after });
    const body = (await answer.json()) as { error: string; details: { path: string }[] };
    assert.deepEqual([answer.status, body.error, body.details[0]?.path], [400, "invalid_input", "/after"], after);
  }
  for (const wait of ["-1", "61", "1.5", "", "soon"]) assert.equal((await acme.ask({ wait })).status, 400, wait);
  assert.equal((await acme.ask({ afer: next })).status, 400);
  const [theirs, nobodys] = [await acme.ask({ app: "theirs" }), await acme.ask({ app: "nobodys" })];
  assert.equal(theirs.status, 404);
  assert.equal(await theirs.text(), await nobodys.text());
});

test("an event is listed only once no earlier transaction can still commit", async () => {
  const { ios, poll, collect } = await makeReader();
  const { next } = await poll();
  const slow = await lodge.deps.pool.connect();
  await slow.query(begin);
  await slow.query(
    "insert into events (app_id, report_id, sdk_key_id, envelope) values ($1, 'slow', gen_random_uuid(), '{}')",
    [ios.id],
  );
  await submitReport(lodge.url, ios.key, { reportId: "quick" });
  const early = await poll({ after: next });
  assert.deepEqual(idsOf(early), [], "the faster transaction must not hide the slower one");
  const waiting = collect(2, { after: early.next });
  await slow.query("commit");
  slow.release();
  const seen = await waiting;
  assert.deepEqual(idsOf(seen), ["slow", "quick"]);
  assert.deepEqual(idsOf(await poll({ after: seen.next })), []);
});

/**
 * The number of events that are accepted while others are read: a few hundred in `npm test`, any number with
 * LODGE_TEST_EVENTS.
 */
const manyEvents = Number(process.env.LODGE_TEST_EVENTS ?? 320);

test("nothing is skipped while transactions overlap and commit in any order", async () => {
  const { ios, poll } = await makeReader();
  const writers = 8;
  const each = 40;
  const rowsOfEach = Math.ceil(manyEvents / (writers * each));
  const seen = new Map<string, number>();
  let { next } = await poll();
  const reading = (async () => {
    while (!seen.has("last")) {
      const page = await poll({ after: next, wait: "60" });
      for (const id of idsOf(page)) seen.set(id, (seen.get(id) ?? 0) + 1);
      next = page.next;
    }
  })();
  const write = async (writer: number) => {
    for (let n = 0; n < each; n++) {
      if (writer % 2 === 0) {
        await submitReport(lodge.url, ios.key, { reportId: `${writer}.${n}` });
        continue;
      }
      const client = await lodge.deps.pool.connect();
      await client.query(begin);
      await client.query(
        `insert into events (app_id, report_id, sdk_key_id, envelope)
        select $1, $2 || '.' || row, gen_random_uuid(), '{}' from generate_series(1, $3::integer) row`,
        [ios.id, `${writer}.${n}`, rowsOfEach],
      );
      await sleep(randomNumber() * 10); // random waits make the transactions overlap
      await client.query(randomNumber() < 0.1 ? "rollback" : "commit");
      client.release();
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  await submitReport(lodge.url, ios.key, { reportId: "last" });
  await reading;
  const { rows } = await lodge.deps.pool.query("select report_id from events where app_id = $1", [ios.id]);
  assert.deepEqual(
    rows.filter(({ report_id }) => seen.get(report_id) !== 1),
    [],
    "each event is listed once",
  );
  assert.equal(seen.size, rows.length, "events that were rolled back are not listed");
});

test("a page has at most 4 MiB of envelopes, and links envelopes above 256 KiB", async () => {
  const { ios, poll, collect } = await makeReader();
  const filler = "x".repeat(250_000);
  for (let n = 0; n < 20; n++) await submitReport(lodge.url, ios.key, { reportId: `${n}`, context: { filler } });
  await submitReport(lodge.url, ios.key, { reportId: "large", context: { filler: filler + filler } });
  await collect(21);
  const first = await poll();
  assert.equal(first.events.length, Math.ceil(eventsPageBytesMax / 250_050));
  const second = await poll({ after: first.next });
  assert.deepEqual(idsOf(second), [
    ...Array.from({ length: 20 - first.events.length }, (_, n) => `${n + first.events.length}`),
    "large",
  ]);
  const large = second.events.at(-1);
  assert.equal(large?.envelope, undefined);
  const linked = (await (await fetch(large?.envelopeUrl ?? "")).json()) as { reportId: string };
  assert.equal(linked.reportId, "large");
});

test("a waiting poll is answered when an event arrives, at its timeout, and when its token is revoked", async () => {
  const { ios, tokenId, poll, ask, held, collect } = await makeReader();
  assert.deepEqual((await poll({ wait: "1" })).events, [], "a poll without new events ends at its timeout");
  const waiting = collect(1);
  await submitReport(lodge.url, ios.key, { reportId: "1" });
  await readEvents(lodge.deps); // notifies dashboards and waiting polls
  const { events, next } = await waiting;
  assert.equal(events.length, 1);

  const revoked = Array.from({ length: eventPollsMax }, () => held({ after: next, wait: "60" }));
  await until(async () => (await ask()).status === 429); // until all of them are waiting
  await lodge.deps.pool.query("update tokens set revoked_at = now() where id = $1", [tokenId]);
  await submitReport(lodge.url, ios.key, { reportId: "2" });
  await readEvents(lodge.deps);
  for (const answer of revoked) assert.equal((await answer).status, 401);
});

test("a token may have a few waiting requests, not counting those of disconnected clients", async () => {
  const { ios, ask, held, collect } = await makeReader();
  const leaving = new AbortController();
  const left = Array.from({ length: eventPollsMax }, () => held({ wait: "60" }, leaving.signal).catch(() => {}));
  const refused = async () => {
    const { status, headers } = await ask();
    return status === 429 && headers.get("retry-after") !== null;
  };
  await until(refused);
  leaving.abort();
  await Promise.all(left);
  await until(async () => !(await refused()));
  await submitReport(lodge.url, ios.key, { reportId: "1" });
  assert.equal((await collect(1)).events.length, 1);
});

test("a server that is stopping answers waiting polls", async () => {
  const stopping = await startService();
  const { poll } = await makeReader(stopping);
  const waiting = poll({ wait: "60" });
  await until(async () => {
    const { rows } = await stopping.deps.pool.query(
      "select from pg_stat_activity where application_name = 'lodged live' and datname = current_database()",
    );
    return rows.length > 0;
  });
  await stopping[Symbol.asyncDispose]();
  assert.deepEqual((await waiting).events, []);
});

test("events of the database that this one was restored from come first, and its cursors are refused", async () => {
  const { organisation, ios, poll, ask, collect } = await makeReader();
  await submitReport(lodge.url, ios.key, { reportId: "restored" });
  await lodge.deps.pool.query("update events set transaction_id = '1000000000000' where app_id = $1", [ios.id]);
  await submitReport(lodge.url, ios.key, { reportId: "new" });
  assert.deepEqual(idsOf(await collect(1)), ["new"], "restored events are listed only after a restart");
  assert.equal(await adoptEvents(lodge.deps.pool), 1);
  assert.deepEqual(idsOf(await poll()), ["restored", "new"]);
  assert.equal(await adoptEvents(lodge.deps.pool), 0);

  const place = { transactionId: 1_000_000_000_000n, eventId: randomUUID() };
  const cursor = writeEventCursor(lodge.deps, organisation.id, place);
  assert.equal((await ask({ after: cursor })).status, 400);
});
