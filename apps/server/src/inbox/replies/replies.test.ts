import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { countThreads, getThread, markThreadRead } from "@lodge/contract/calls.generated";
import type { ThreadPage } from "@lodge/contract/dashboard/threads";
import { Webhook } from "standardwebhooks";
import { type DashboardClient, password, signedIn } from "../../testing/dashboard-client.ts";
import { retry } from "../../testing/retry.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { type Service, startService, withWorker } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { readEvents } from "../problems/read-events.ts";
import { deleteEvents } from "../reports/delete-events.ts";

type Receipt = {
  eventId: string;
  idempotent: boolean;
  thread: { id: string; token: string; url: string };
  device: { id: string; token: string };
};

test("a report's receipt opens a thread only if the app has replies on", async () => {
  await using lodge = await startService({ LODGE_INGEST_URL: "https://in.example.test" });
  const { key, organisationId } = await makeApp(lodge);
  const receipt = await submit(lodge, key, { reportId: "1", installId: "phone" });
  assert.match(receipt.thread.token, /^ldgthread_[\w-]{43}$/);
  assert.match(receipt.device.token, /^ldgdevice_[\w-]{43}$/);
  assert.equal(receipt.thread.url, `https://in.example.test/api/threads/${receipt.thread.id}/messages`);

  await makeApp(lodge, { replies: false });
  const without = await submit(lodge, key, { reportId: "2" });
  assert.deepEqual(Object.keys(without), ["status", "eventId", "deliveryCount", "idempotent"]);
  const duplicate = await submit(lodge, key, { reportId: "1", installId: "phone" });
  assert.equal(duplicate.thread, undefined, "with replies off, a duplicate opens no thread either");
  assert.equal((await read(lodge, receipt.thread)).status, 200, "an open thread stays open");

  await makeApp(lodge, { replies: true });
  assert.equal((await submit(lodge, key, { reportId: "2" })).thread, undefined, "the original had no thread");
  assert.equal(await countThreadsOf(lodge, organisationId), 1);
});

test("duplicates get the same thread, also when twelve arrive at once, and in every process", async () => {
  await using lodge = await startService();
  await using other = await startService(lodge.env);
  const { key } = await makeApp(lodge);
  const receipts = await Promise.all(
    Array.from({ length: 12 }, (_, index) => submit(index % 2 ? lodge : other, key, { reportId: "1" })),
  );
  assert.equal(receipts.filter(({ idempotent }) => !idempotent).length, 1);
  const withoutUrl = receipts.map(({ thread, device }) => ({ id: thread.id, token: thread.token, device }));
  for (const receipt of withoutUrl) assert.deepEqual(receipt, withoutUrl[0]);
});

test("another envelope with a known reportId gets its event, but not the token of its thread", async () => {
  await using lodge = await startService();
  const { key } = await makeApp(lodge);
  const envelope = { reportId: "1", installId: "phone", message: "What is mine stays mine" };
  const original = await submit(lodge, key, envelope);
  for (const guess of [
    { reportId: "1" },
    { reportId: "1", installId: "phone" },
    { ...envelope, message: "What is yours is mine" },
    { installId: "phone", reportId: "1", message: envelope.message },
  ]) {
    const { eventId, idempotent, ...rest } = await submit(lodge, key, guess);
    assert.deepEqual([eventId, idempotent], [original.eventId, true]);
    assert.deepEqual(Object.keys(rest), ["status", "deliveryCount"]);
  }
  const again = await submit(lodge, key, envelope);
  assert.deepEqual(again, { ...original, idempotent: true });
});

test("a large report that is resent compressed counts as the same report", async () => {
  await using lodge = await startService();
  const { key } = await makeApp(lodge);
  const envelope = JSON.stringify({ reportId: "1", context: { log: "line ".repeat(100_000) } });
  const original = await submit(lodge, key, envelope);
  assert.ok(original.thread.token);
  assert.deepEqual(await submit(lodge, key, gzipSync(envelope)), { ...original, idempotent: true });
  assert.equal((await submit(lodge, key, `${envelope} `)).thread, undefined);
});

test("reports of one install share a device; reports without an install, or of another app, do not", async () => {
  await using lodge = await startService();
  const { key, otherKey } = await makeApp(lodge);
  const [a, b, c, d, e] = [
    await submit(lodge, key, { reportId: "1", installId: "phone" }),
    await submit(lodge, key, { reportId: "2", installId: "phone" }),
    await submit(lodge, key, { reportId: "3" }),
    await submit(lodge, key, { reportId: "4" }),
    await submit(lodge, otherKey, { reportId: "5", installId: "phone" }),
  ];
  assert.deepEqual(a.device, b.device);
  assert.equal(new Set([a, c, d, e].map(({ device }) => device.id)).size, 4);
  assert.equal(new Set([a, b, c, d, e].map(({ thread }) => thread.token)).size, 5);
  for (const { thread, device } of [a, c]) {
    for (const { id } of [thread, device])
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-[78][0-9a-f]{3}-[89ab][0-9a-f]{3}-/);
  }
});

test("a reporter and the team write to each other, and the device lists new messages until it confirms them", async () => {
  await using lodge = await startService();
  const { key } = await makeApp(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const { thread, device } = await submit(lodge, key, { reportId: "1", installId: "phone" });
  await submit(lodge, key, { reportId: "2", installId: "phone" });
  const answer = async (text: string) => assert.equal((await ada("POST", teamPath(thread), { text })).status, 201);

  const posted = await post(lodge, thread, { text: "It broke again 🔥" });
  assert.equal(posted.status, 201, posted.text);
  const { createdAt, ...message } = posted.body;
  assert.deepEqual(message, { number: 1, author: "reporter", authorName: null, text: "It broke again 🔥" });
  assert.ok(!Number.isNaN(Date.parse(String(createdAt))));
  assert.deepEqual(await news(lodge, device), [], "the reporter's own message is not unread");

  await answer("Which version?");
  await answer("And which phone?");
  const [first, ...more] = await news(lodge, device);
  assert.deepEqual(more, []);
  assert.deepEqual(
    { ...first, lastMessageAt: undefined },
    { id: thread.id, url: thread.url, closed: false, unread: 2, lastMessageAt: undefined },
  );

  const page = await read(lodge, thread);
  assert.equal(page.headers.get("cache-control"), "no-store");
  assert.deepEqual(summary(page.body), [
    [1, "reporter", null, "It broke again 🔥"],
    [2, "team", "Ada", "Which version?"],
    [3, "team", "Ada", "And which phone?"],
  ]);
  assert.deepEqual([page.body.threadId, page.body.closed, page.body.more], [thread.id, false, false]);
  assert.equal((await news(lodge, device)).length, 1, "a response may be lost: messages are unread until confirmed");
  assert.deepEqual(summary((await read(lodge, thread, "?after=2")).body), [[3, "team", "Ada", "And which phone?"]]);
  assert.deepEqual(
    (await news(lodge, device)).map(({ unread }) => unread),
    [1],
  );
  assert.deepEqual(summary((await read(lodge, thread, "?after=3")).body), []);
  assert.deepEqual(await news(lodge, device), []);
  assert.deepEqual(summary((await read(lodge, thread, "?after=1")).body).length, 2);
  assert.deepEqual(await news(lodge, device), [], "reading messages again does not make them unread");
  await read(lodge, thread, "?after=999999999");
  await answer("Still there?");
  assert.equal(
    (await news(lodge, device)).length,
    1,
    "a number beyond the last message confirms only existing messages",
  );
});

test("messages are paged and numbered without gaps, however many are posted at the same time", async () => {
  await using lodge = await startService();
  const { key } = await makeApp(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const { thread } = await submit(lodge, key, { reportId: "1" });
  await Promise.all([
    ...Array.from({ length: 20 }, (_, index) => {
      const message = { text: `reporter ${index}`, messageId: randomUUID() };
      return retry(() => post(lodge, thread, message));
    }),
    ...Array.from({ length: 100 }, (_, index) => {
      const message = { text: `team ${index}`, messageId: randomUUID() };
      return retry(() => ada("POST", teamPath(thread), message)); // on a busy machine, some time out waiting for a connection
    }),
  ]);
  const first = (await read(lodge, thread)).body;
  const second = (await read(lodge, thread, "?after=100")).body;
  assert.deepEqual([first.more, second.more], [true, false]);
  const numbers = [...summary(first), ...summary(second)].map(([number]) => number);
  assert.deepEqual(
    numbers,
    Array.from({ length: 120 }, (_, index) => index + 1),
  );
});

test("a message is posted once per messageId", async () => {
  await using lodge = await startService();
  const { key } = await makeApp(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const { thread } = await submit(lodge, key, { reportId: "1" });
  const messageId = randomUUID();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, index) => post(lodge, thread, { text: `${index}`, messageId })),
  );
  for (const answer of answers) {
    assert.equal(answer.status, 201);
    assert.equal(answer.text, answers[0]?.text);
  }
  const again = await post(lodge, thread, { text: "other", messageId: messageId.toUpperCase() });
  assert.equal(again.text, answers[0]?.text);
  assert.equal((await ada("POST", teamPath(thread), { text: "team", messageId })).body.text, "team");
  assert.equal(summary((await read(lodge, thread)).body).length, 2, "each side has its own message ids");
});

test("after a member closes a thread, both sides can read it and neither can write", async () => {
  await using lodge = await startService();
  const { key, adaId } = await makeApp(lodge);
  const [ada, grace] = [await signedIn(lodge, "ada@acme.test"), await signedIn(lodge, "grace@acme.test")];
  const { thread, device } = await submit(lodge, key, { reportId: "1", installId: "phone" });
  const messageId = randomUUID();
  const posted = await post(lodge, thread, { text: "Hello?", messageId });
  await ada("POST", teamPath(thread), { text: "Fixed in 2.1" });
  const closed = await ada("POST", `/threads/${thread.id}/close`);
  assert.equal(closed.status, 200, closed.text);
  const { at, ...by } = closed.body.closed as Record<string, string>;
  assert.deepEqual(by, { byUserId: adaId, byName: "Ada" });
  assert.deepEqual(
    (await grace("POST", `/threads/${thread.id}/close`)).body,
    closed.body,
    "closing a closed thread changes nothing",
  );
  assert.ok(at);

  for (const refused of [
    await post(lodge, thread, { text: "Not" }),
    await ada("POST", teamPath(thread), { text: "Oh" }),
  ]) {
    assert.deepEqual([refused.status, refused.body.error], [409, "thread_closed"]);
  }
  assert.equal((await post(lodge, thread, { text: "Hello?", messageId })).text, posted.text, "a retry still succeeds");
  for (const page of [(await read(lodge, thread)).body, (await ada("GET", teamPath(thread))).body]) {
    assert.deepEqual([page.closed, summary(page).length], [true, 2]);
  }
  assert.equal((await news(lodge, device))[0]?.closed, true);
});

test("members see only the threads of their organisation, the latest message first", async () => {
  const { clock, pass } = passingClock();
  await using lodge = await startService({}, { clock });
  const { key } = await makeApp(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const silent = await submit(lodge, key, { reportId: "silent" });
  const receipts = [];
  for (let index = 0; index < 103; index++) {
    const receipt = await submit(lodge, key, { reportId: `${index}` });
    pass(index % 3 === 0 ? 1 : 0); // some messages have the same time
    assert.equal((await post(lodge, receipt.thread, { text: `${index}` })).status, 201);
    receipts.push(receipt);
  }
  const first = await listThreads(ada, "");
  const second = await listThreads(ada, `?cursor=${encodeURIComponent(first.nextCursor ?? "")}`);
  assert.deepEqual([first.threads.length, second.threads.length, second.nextCursor], [100, 3, null]);
  const seen = [...first.threads, ...second.threads];
  assert.equal(new Set(seen.map(({ id }) => id)).size, 103);
  const times = seen.map(({ lastMessageAt }) => lastMessageAt ?? "");
  assert.deepEqual(times, times.toSorted().reverse());

  const [answered, closed] = receipts;
  assert.ok(answered && closed);
  pass(1);
  await ada("POST", teamPath(answered.thread), { text: "Yes?" });
  await ada("POST", `/threads/${closed.thread.id}/close`);
  const [latest, next] = (await listThreads(ada, "?state=open")).threads;
  assert.deepEqual([latest?.eventId, latest?.awaitsAnswer, latest?.messageCount], [answered.eventId, false, 2]);
  assert.deepEqual([latest?.app.name, next?.awaitsAnswer], ["iOS", true]);
  const [shut, ...others] = (await listThreads(ada, "?state=closed")).threads;
  assert.deepEqual([shut?.id, others], [closed.thread.id, []]);
  const [ofEvent] = (await listThreads(ada, `?eventId=${silent.eventId}`)).threads;
  assert.deepEqual([ofEvent?.id, ofEvent?.lastMessageAt, ofEvent?.awaitsAnswer], [silent.thread.id, null, false]);
  assert.deepEqual(summary((await ada("GET", `${teamPath(answered.thread)}?after=1`)).body), [
    [2, "team", "Ada", "Yes?"],
  ]);
  for (const query of ["cursor=", "cursor=x", `cursor=${times[0]}%20x`, "state=shut", "eventId=x"]) {
    assert.equal((await ada("GET", `/threads?${query}`)).body.error, "invalid_input", query);
  }

  await lodge.apply({
    organisation: { name: "Umbra", slug: "umbra" },
    members: [{ email: "eve@umbra.test", name: "Eve", role: "owner", password }],
  });
  const eve = await signedIn(lodge, "eve@umbra.test");
  assert.deepEqual((await listThreads(eve, "")).threads, []);
  assert.deepEqual((await listThreads(eve, `?eventId=${answered.eventId}`)).threads, []);
  for (const id of [answered.thread.id, randomUUID(), "x"]) {
    for (const answer of [
      await eve("GET", teamPath({ id })),
      await eve("POST", teamPath({ id }), { text: "x" }),
      await eve("POST", `/threads/${id}/close`),
    ]) {
      assert.deepEqual([answer.status, answer.body.error], [404, "thread_not_found"]);
    }
  }
  const nobody = await lodge.request("GET", "/api/dashboard/threads");
  assert.deepEqual([nobody.status, nobody.body.error], [401, "not_signed_in"]);
  assert.equal((await ada("POST", teamPath(answered.thread), { text: "" })).body.error, "invalid_input");
});

test("a reporter's message is unread for each member until they read it or somebody answers", async () => {
  await using lodge = await startService();
  const { key, otherKey } = await makeApp(lodge);
  const [ada, grace] = [await signedIn(lodge, "ada@acme.test"), await signedIn(lodge, "grace@acme.test")];
  const [first, second] = [
    await submit(lodge, key, { reportId: "1", kind: "feedback", title: "Nice", message: "Very", user: { name: "Jo" } }),
    await submit(lodge, otherKey, { reportId: "2" }),
  ];
  await readEvents(lodge.deps);
  const counts = async (...clients: DashboardClient[]) =>
    Promise.all(
      clients.map(async (client) => {
        const { unreadCount, waitingCount } = await client.call(countThreads);
        return [unreadCount, waitingCount];
      }),
    );
  const has = (client: DashboardClient, { thread }: Receipt) =>
    client.call(getThread, { params: { threadId: thread.id } });
  const markRead = (client: DashboardClient, { thread }: Receipt, number: number) =>
    client.call(markThreadRead, { params: { threadId: thread.id }, body: { number } });
  assert.deepEqual(await counts(ada, grace), [
    [0, 0],
    [0, 0],
  ]);
  for (const text of ["Hello?", `${"x".repeat(199)}🔥y`]) await post(lodge, first.thread, { text });
  await post(lodge, second.thread, { text: "Hi" });
  const { title, message, reporter, lastMessage, unreadCount } = await has(ada, first);
  assert.deepEqual(
    [title, message, reporter, lastMessage?.author, lastMessage?.text, unreadCount],
    ["Nice", "Very", "Jo", "reporter", `${"x".repeat(199)}🔥`, 2],
  );
  await markRead(ada, first, 1);
  assert.equal((await has(ada, first)).unreadCount, 1);
  await markRead(ada, first, 99);
  await markRead(ada, first, 1);
  assert.deepEqual(await counts(ada, grace), [
    [1, 2],
    [2, 2],
  ]);
  const unread = (await listThreads(ada, "?state=unread")).threads.map(({ id }) => id);
  const waiting = (await listThreads(ada, "?state=waiting")).threads.map(({ id }) => id);
  assert.deepEqual([unread, waiting], [[second.thread.id], [second.thread.id, first.thread.id]]);
  const ofApp = await listThreads(ada, `?state=waiting&appId=${(await has(ada, first)).app.id}`);
  assert.deepEqual(
    ofApp.threads.map(({ id }) => id),
    [first.thread.id],
  );
  await ada("POST", teamPath(first.thread), { text: "Yes?" });
  assert.deepEqual(await counts(ada, grace), [
    [1, 1],
    [1, 1],
  ]);
  await post(lodge, first.thread, { text: "No." });
  assert.deepEqual(
    await counts(ada, grace),
    [
      [2, 2],
      [2, 2],
    ],
    "messages after the one marked as read are unread",
  );
  assert.equal((await has(ada, first)).reporterReadNumber, 0);
  await read(lodge, first.thread, "?after=3");
  assert.equal((await has(ada, first)).reporterReadNumber, 3);
  await ada("POST", `/threads/${second.thread.id}/close`);
  assert.deepEqual(await counts(grace), [[1, 1]], "a closed thread does not wait for an answer");
  assert.equal((await has(grace, second)).unreadCount, 0);
});

test("messages of both sides and the closing of a thread are announced live", async () => {
  await using lodge = await startService();
  await using other = await startService(lodge.env);
  const { key } = await makeApp(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const cookie = [...ada.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const stream = await fetch(`${lodge.url}/api/dashboard/events`, { headers: { cookie } });
  assert.ok(stream.body);
  const { thread, eventId } = await submit(other, key, { reportId: "1" });
  assert.equal((await post(other, thread, { text: "Hello?" })).status, 201);
  await ada("POST", teamPath(thread), { text: "Yes?" });
  await ada("POST", `/threads/${thread.id}/close`);
  await ada("POST", `/threads/${thread.id}/close`);
  let heard = "";
  for await (const chunk of stream.body.pipeThrough(new TextDecoderStream())) {
    heard += chunk;
    if (heard.split("event: ").length === 4 && heard.endsWith("\n\n")) break;
  }
  const events = [...heard.matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(([, kind, data = "{}"]) => {
    const { threadId, eventId: of } = JSON.parse(data) as { threadId: string; eventId: string };
    return [kind, threadId === thread.id, of === eventId];
  });
  assert.deepEqual(events, [
    ["reply.received", true, true],
    ["thread.changed", true, true],
    ["thread.changed", true, true],
  ]);
});

test("a reporter's message is sent once to webhooks (signed) and Slack, but not to boards; the team's messages are sent to none", async () => {
  await using hook = await startReceiver();
  await using slack = await startReceiver();
  await using lodge = await startService({ ...withWorker, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1" });
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [{ email: "ada@acme.test", name: "Ada", role: "member", password }],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Reports"] }] }],
    apps: [
      {
        name: "iOS",
        slug: "ios",
        keys: ["default"],
        replies: true,
        subscribers: [
          { kind: "webhook", url: `${hook.url}/hook` },
          { kind: "slack", url: `${slack.url}/slack` },
          { kind: "board", project: "web", board: "Inbox", column: "Reports" },
        ],
      },
    ],
  });
  const [app] = apps;
  const { thread, eventId } = await submit(lodge, app?.keys[0]?.key ?? "", { reportId: "1" });
  const findCards = () => lodge.deps.db.selectFrom("tickets").select("id").execute();
  await Promise.all([hook.until(1), slack.until(1), until(async () => (await findCards()).length > 0)]);
  const ada = await signedIn(lodge, "ada@acme.test");
  await ada("POST", teamPath(thread), { text: "Which?" });
  const messageId = randomUUID();
  const posted = await post(lodge, thread, { text: "<The> blue & one", messageId });
  await post(lodge, thread, { text: "<The> blue & one", messageId });
  const [, told] = await hook.until(2);
  const body = told?.body.toString("utf8") ?? "";
  const { authorName, author, ...message } = posted.body;
  assert.deepEqual([author, authorName], ["reporter", null]);
  assert.deepEqual(JSON.parse(body), {
    type: "reply.received",
    timestamp: message.createdAt,
    data: { eventId, appId: app?.id, reportId: "1", threadId: thread.id, message },
  });
  const headers = Object.fromEntries(Object.entries(told?.headers ?? {}).map(([name, value]) => [name, String(value)]));
  new Webhook(app?.subscribers[0]?.secret ?? "").verify(body, headers);
  const [, shown] = await slack.until(2);
  assert.match(shown?.body.toString("utf8") ?? "", /The reporter answered: .*&lt;The&gt; blue &amp; one/);

  assert.equal((await post(lodge, thread, { text: "Hello?" })).status, 201);
  await Promise.all([hook.until(3), slack.until(3)]);
  assert.deepEqual([hook.received.length, slack.received.length], [3, 3]);
  assert.equal((await findCards()).length, 1, "only the report has a card");
});

test("only plain text of 1 to 20,000 code points is accepted", async () => {
  await using lodge = await startService();
  const { key } = await makeApp(lodge);
  const { thread } = await submit(lodge, key, { reportId: "1" });
  const headers = { authorization: `Bearer ${thread.token}` };
  const send = (body: unknown) => lodge.request("POST", path(thread), { headers, body });
  const longest = "😀".repeat(20_000);
  assert.equal((await send({ text: longest })).status, 201);
  const escaped = `{"text":"${"\\ud83d\\ude00".repeat(20_000)}"}`;
  const asJson = { ...headers, "content-type": "application/json" };
  assert.equal((await lodge.request("POST", path(thread), { headers: asJson, body: escaped })).status, 201);
  const wrong = [
    {},
    { text: "" },
    { text: `${longest}x` },
    { text: "a\u0000b" },
    { text: "\ud800" },
    { text: 1 },
    { text: "a", author: "team" },
    { text: "a", messageId: "1" },
    [],
    "text",
    undefined,
  ];
  for (const body of wrong) {
    const answer = await send(body);
    assert.equal(answer.status, 400, JSON.stringify(body)?.slice(0, 50));
    assert.equal(answer.body.error, "invalid_input");
  }
  const huge = await lodge.request("POST", path(thread), {
    headers: asJson,
    body: `{"text":"${"x".repeat(300_000)}"}`,
  });
  assert.equal(huge.body.error, "invalid_input");
  for (const after of ["-1", "x", "1.5", "", "9".repeat(10)]) {
    assert.equal((await read(lodge, thread, `?after=${after}`)).status, 400, after);
  }
  assert.equal(summary((await read(lodge, thread)).body).length, 2);
});

test("a token opens only its own thread or device, and every refusal is the same", async () => {
  await using lodge = await startService();
  const { key, otherKey } = await makeApp(lodge);
  const mine = await submit(lodge, key, { reportId: "1", installId: "phone" });
  const sibling = await submit(lodge, key, { reportId: "2", installId: "phone" });
  const stranger = await submit(lodge, key, { reportId: "3", installId: "tablet" });
  const otherApp = await submit(lodge, otherKey, { reportId: "1", installId: "phone" });
  const missing = randomUUID();
  const ids = [mine, sibling, stranger, otherApp].flatMap(({ thread, device }) => [thread.id, device.id]);
  const tokens = [mine, sibling, stranger, otherApp].flatMap(({ thread, device }) => [
    { opens: `/api/threads/${thread.id}/messages`, token: thread.token },
    { opens: `/api/devices/${device.id}/threads`, token: device.token },
  ]);
  const paths = [...ids, missing, "x", "%00"].flatMap((id) => [
    `/api/threads/${id}/messages`,
    `/api/devices/${id}/threads`,
  ]);
  const made = {
    authorization: `Bearer ${mine.thread.token.slice(0, -1)}${mine.thread.token.endsWith("A") ? "B" : "A"}`,
  };
  const others = [
    {},
    { authorization: `Bearer ${key}` },
    { authorization: "Bearer" },
    { authorization: mine.thread.token },
    made,
  ];
  let refused: unknown;
  for (const at of paths) {
    for (const [opens, headers] of [
      ...tokens.map(({ opens, token }) => [opens, { authorization: `Bearer ${token}` }] as const),
      ...others.map((headers) => ["nothing", headers] as const),
    ]) {
      const answer = await lodge.request("GET", at, { headers });
      if (at === opens) {
        assert.equal(answer.status, 200, at);
        continue;
      }
      assert.equal(answer.headers.get("www-authenticate"), "Bearer");
      const seen = { status: answer.status, text: answer.text };
      refused ??= seen;
      assert.deepEqual(seen, refused, at);
    }
  }
  assert.equal((refused as { status: number }).status, 401);
  assert.match((refused as { text: string }).text, /"invalid_reply_token"/);
  assert.equal((await post(lodge, { ...mine.thread, token: sibling.thread.token }, { text: "x" })).status, 401);

  await using elsewhere = await startService({ ...lodge.env, LODGE_SECRET: "another secret, as long as it has to be" });
  assert.equal((await read(elsewhere, mine.thread)).status, 401);

  const { app_id: appId } = await lodge.deps.db
    .selectFrom("events")
    .select("app_id")
    .where("id", "=", mine.eventId)
    .executeTakeFirstOrThrow();
  await deleteEvents(lodge.deps, appId, [mine.eventId]);
  const gone = await read(lodge, mine.thread);
  assert.deepEqual([gone.status, gone.body.error], [404, "thread_not_found"]);
  assert.equal((await post(lodge, mine.thread, { text: "x" })).body.error, "thread_not_found");
});

test("the 61st request in a minute is refused, across two processes, without affecting other threads", async () => {
  let now = new Date();
  const clock = { now: () => now };
  await using lodge = await startService({}, { clock });
  await using other = await startService(lodge.env, { clock });
  const { key } = await makeApp(lodge);
  const { thread, device } = await submit(lodge, key, { reportId: "1", installId: "phone" });
  const sibling = await submit(lodge, key, { reportId: "2", installId: "phone" });
  for (let request = 0; request < 60; request++) {
    assert.equal((await read(request % 2 ? lodge : other, thread)).status, 200);
    assert.equal((await listNews(request % 2 ? lodge : other, device)).status, 200);
  }
  now = new Date(now.getTime() + 20_000);
  for (const refused of [await post(other, thread, { text: "x" }), await listNews(lodge, device)]) {
    assert.deepEqual([refused.status, refused.body.error], [429, "rate_limit_exceeded"]);
    assert.equal(refused.headers.get("retry-after"), "40");
    assert.equal(refused.headers.get("access-control-expose-headers"), "Retry-After");
  }
  assert.equal((await read(lodge, sibling.thread)).status, 200);
  now = new Date(now.getTime() + 40_000);
  assert.equal((await post(other, thread, { text: "x" })).status, 201);
});

test("browsers may read responses from the origins that the app allows", async () => {
  await using lodge = await startService();
  const { key, organisationId } = await makeApp(lodge);
  const { thread, device } = await submit(lodge, key, { reportId: "1" });
  for (const [at, methods] of [
    [path(thread), "GET, POST"],
    [`/api/devices/${device.id}/threads`, "GET"],
  ] as const) {
    const preflight = await lodge.request("OPTIONS", at, {
      headers: { origin: "https://shop.example", "access-control-request-method": "GET" },
    });
    assert.equal(preflight.status, 204);
    assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
    assert.equal(preflight.headers.get("access-control-allow-methods"), methods);
    assert.match(preflight.headers.get("access-control-allow-headers") ?? "", /authorization, content-type/);
  }
  const ask = async (origin: string) =>
    (
      await lodge.request("GET", path(thread), { headers: { authorization: `Bearer ${thread.token}`, origin } })
    ).headers.get("access-control-allow-origin");
  assert.equal(await ask("https://shop.example"), "*");
  await lodge.deps.db
    .updateTable("apps")
    .set({ allowed_origins: ["https://shop.example"] })
    .where("organisation_id", "=", organisationId)
    .execute();
  assert.equal(await ask("https://shop.example"), "https://shop.example");
  assert.equal(await ask("https://evil.example"), null);
  const refused = await lodge.request("GET", path(thread), { headers: { origin: "https://evil.example" } });
  assert.equal(refused.headers.get("access-control-allow-origin"), "*", "pages of any origin can read a refusal");
});

function passingClock() {
  let now = new Date("2026-01-10T12:00:00Z");
  const pass = (seconds: number) => {
    now = new Date(now.getTime() + seconds * 1000);
  };
  return { clock: { now: () => now }, pass };
}

/** Acme, with two apps and a member. */
async function makeApp(lodge: Service, { replies = true } = {}) {
  const { organisation, members, apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: ["Ada", "Grace"].map((name) => ({
      email: `${name.toLowerCase()}@acme.test`,
      name,
      role: "member" as const,
      password,
    })),
    apps: [
      { name: "iOS", slug: "ios", keys: ["default"], replies },
      { name: "Android", slug: "android", keys: ["default"], replies },
    ],
  });
  return {
    organisationId: organisation.id,
    adaId: members[0]?.id,
    key: apps[0]?.keys[0]?.key ?? "",
    otherKey: apps[1]?.keys[0]?.key ?? "",
  };
}

async function submit(lodge: Service, key: string, envelope: object | string) {
  const isRaw = typeof envelope === "string" || envelope instanceof Uint8Array;
  const form = new FormData();
  form.set("envelope", new Blob([isRaw ? (envelope as string) : JSON.stringify(envelope)]));
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${lodge.url}/api/ingest`, { method: "POST", headers, body: form });
  assert.equal(response.status, 200);
  return (await response.json()) as Receipt;
}

const path = (thread: { id: string }) => `/api/threads/${thread.id}/messages`;

const read = (lodge: Service, thread: { id: string; token: string }, query = "") =>
  lodge.request("GET", `${path(thread)}${query}`, { headers: { authorization: `Bearer ${thread.token}` } });

const post = (lodge: Service, thread: { id: string; token: string }, body: { text: string; messageId?: string }) =>
  lodge.request("POST", path(thread), { headers: { authorization: `Bearer ${thread.token}` }, body });

/** The path of a thread's messages in the dashboard's API. */
const teamPath = (thread: { id: string }) => `/threads/${thread.id}/messages`;

async function listThreads(client: DashboardClient, query: string): Promise<ThreadPage> {
  return (await client("GET", `/threads${query}`)).body as ThreadPage;
}

const listNews = (lodge: Service, device: { id: string; token: string }) =>
  lodge.request("GET", `/api/devices/${device.id}/threads`, { headers: { authorization: `Bearer ${device.token}` } });

async function news(lodge: Service, device: { id: string; token: string }) {
  return (await listNews(lodge, device)).body.threads as { id: string; url: string; closed: boolean; unread: number }[];
}

const summary = (page: Record<string, unknown>) =>
  (page.messages as { number: number; author: string; authorName: string | null; text: string }[]).map(
    ({ number, author, authorName, text }) => [number, author, authorName, text],
  );

async function countThreadsOf(lodge: Service, organisationId: string): Promise<number> {
  const threads = await lodge.deps.db
    .selectFrom("threads")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .execute();
  return threads.length;
}

test("tokens are signed with a key of their own, and those signed with the secret itself remain valid", async () => {
  await using lodge = await startService();
  const { key } = await makeApp(lodge);
  const { thread } = await submit(lodge, key, { reportId: "1" });
  const old = `ldgthread_${createHmac("sha256", lodge.deps.secret).update(`thread:${thread.id}`).digest("base64url")}`;
  assert.notEqual(thread.token, old);
  assert.equal((await read(lodge, thread)).status, 200);
  assert.equal((await read(lodge, { ...thread, token: old })).status, 200);
  assert.equal((await read(lodge, { ...thread, token: old.replace("thread", "device") })).status, 401);
});
