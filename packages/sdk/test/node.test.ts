import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { openAsBlob } from "node:fs";
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { runInNewContext } from "node:vm";
import { answerThread } from "@lodge/contract/calls.generated";
import { signedIn } from "../../../apps/server/src/testing/dashboard-client.ts";
import { randomNumber } from "../../../apps/server/src/testing/random.ts";
import { type Door, startDoor } from "../../../apps/server/src/testing/start-door.ts";
import { until } from "../../../apps/server/src/testing/until.ts";
import { bundleSdk } from "../bundle.ts";
import { describeError } from "../src/compose-report.ts";
import type * as sdk from "../src/node.ts";
import type * as conversations from "../src/replies.ts";
import { startGate } from "./site.ts";

/** The number of processes to kill; `SDK_KILLS=200 npm test -- sdk` repeats the measurement in docs/sdk.md. */
const kills = Number(process.env.SDK_KILLS ?? 10);
/** The Node to test: this one, or the older one in `OLDEST_NODE`. */
const nodeOfTests = process.env.OLDEST_NODE ?? process.execPath;

const started = new AsyncDisposableStack();
let door: Door;
let script: string;
let app: string;
let createLodge: typeof sdk.createLodge;
let replies: typeof conversations.replies;
before(async () => {
  const folder = await mkdtemp(join(tmpdir(), "lodge-sdk-"));
  started.defer(() => rm(folder, { recursive: true }));
  await bundleSdk(folder);
  await writeFile(join(folder, "package.json"), '{"type":"module"}'); // as in the package: Node 18 does not detect ES modules
  script = join(folder, "node.js");
  ({ createLodge } = (await import(script)) as typeof sdk);
  ({ replies } = (await import(join(folder, "replies.js"))) as typeof conversations);
  app = join(folder, "node-app.mjs");
  const source = await readFile(new URL("node-app.ts", import.meta.url), "utf8");
  await writeFile(app, stripTypeScriptTypes(source)); // an older Node cannot run TypeScript
  door = started.use(await startDoor());
});
after(() => started.disposeAsync());

async function makeQueue() {
  const directory = await mkdtemp(join(tmpdir(), "lodge-queue-"));
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, maxRetries: 10 }) };
}

function startApp(options: sdk.Options, count: number, end: "flush" | "wait" | "throw") {
  const child = spawn(nodeOfTests, [app, script, JSON.stringify(options), `${count}`, end], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const ids: string[] = [];
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => ids.push(line));
  const ended = once(child, "exit").then(async () => {
    if (!child.stdout.readableEnded) await once(lines, "close");
  });
  return { ids, ended, kill: () => child.kill("SIGKILL") };
}

async function storedEnvelope(reportId: string): Promise<sdk.Envelope> {
  const { envelope } = await door.deps.db
    .selectFrom("events")
    .select("envelope")
    .where("report_id", "=", reportId)
    .executeTakeFirstOrThrow();
  return JSON.parse(`${envelope}`);
}

const reportsIn = async (directory: string) =>
  (await readdir(directory)).filter((file) => file.endsWith(".report")).length;

test("a report is a file that only its owner can read until the server has it, and arrives complete", async () => {
  await using queue = await makeQueue();
  await using gate = await startGate(door.url);
  gate.mode = "hold";
  const lodge = createLodge({ ingestUrl: gate.url, key: door.key, queue });
  const { reportId, receipt } = await lodge.report({
    message: "from a service",
    fingerprint: ["checkout"],
    attachments: [{ name: "core", data: new Uint8Array([1, 2, 3]) }],
  });
  const [file = ""] = (await readdir(queue.directory)).filter((name) => name.startsWith(reportId));
  assert.equal((await stat(join(queue.directory, file))).mode & 0o777, 0o600);
  await until(() => lodge.status().state === "sending");
  assert.equal(lodge.status().queued, 1);
  await lodge.close();
  await assert.rejects(receipt, { code: "closed" });
  assert.equal(await reportsIn(queue.directory), 1);

  const next = createLodge({ ingestUrl: door.url, key: door.key, queue });
  assert.ok(await next.flush());
  await next.close();
  assert.ok((await door.reportIds()).includes(reportId));
  assert.equal(await reportsIn(queue.directory), 0);
});

test("with sendBeforeExit a crash arrives before the process ends, even without a disk", async () => {
  const capture = { errors: { sendBeforeExit: true } };
  for (const hasDisk of [true, false]) {
    // Retry if a busy machine did not respond within the two seconds that the process waits.
    await until(async () => {
      await using queue = await makeQueue();
      const directory = hasDisk ? queue.directory : join(queue.directory, "file");
      if (!hasDisk) await writeFile(directory, "");
      const before = new Set(await door.reportIds());
      await startApp({ ingestUrl: door.url, key: door.key, capture, queue: { directory } }, 0, "throw").ended;
      const arrived = (await door.reportIds()).find((id) => !before.has(id));
      if (arrived === undefined || (await reportsIn(queue.directory)) > 0) return false;
      assert.equal((await storedEnvelope(arrived)).error?.message, "nobody handles this");
      return true;
    });
  }
});

test("a queue directory that cannot be written is logged, and reports are sent anyway", async () => {
  await using queue = await makeQueue();
  const directory = join(queue.directory, "file");
  await writeFile(directory, "");
  const written: string[] = [];
  const { warn } = console;
  console.warn = (text) => written.push(text);
  const lodge = createLodge({ ingestUrl: door.url, key: door.key, queue: { directory } });
  console.warn = warn;
  assert.match(`${written}`, /^Lodge cannot write to .*file \(EEXIST\).*queue\.directory/);
  const { receipt } = await lodge.report({ title: "without a disk" });
  assert.equal((await receipt).status, "received");
  await lodge.close();
});

test("a report from Node has 50 frames and the console's breadcrumbs, and leaves the queue before its receipt resolves", async () => {
  await using queue = await makeQueue();
  const limit = Error.stackTraceLimit;
  const { debug } = console;
  console.debug = () => {};
  const capture = { errors: true, breadcrumbs: true };
  const lodge = createLodge({ ingestUrl: door.url, key: door.key, queue, capture });
  assert.equal(Error.stackTraceLimit, 50);
  for (let line = 0; line < 101; line++) console.debug("cart", { items: [line], password: "hunter2" });
  const { reportId, receipt } = await lodge.report({ title: "with a log" });
  await receipt;
  assert.equal(lodge.status().queued, 0);
  await lodge.close();
  console.debug = debug;
  assert.equal(Error.stackTraceLimit, limit);
  const { breadcrumbs = [] } = await storedEnvelope(reportId);
  assert.equal(breadcrumbs.length, 100);
  assert.equal(breadcrumbs.at(-1)?.message, 'cart {"items":[100],"password":"[redacted]"}');
});

test(`no report is lost or duplicated when processes are killed while they send, ${kills} times`, async () => {
  await using queue = await makeQueue();
  await using gate = await startGate(door.url);
  const options = { ingestUrl: gate.url, key: door.key, queue };
  const handed = new Set<string>();
  for (let killed = 0; killed < kills; killed++) {
    // The server may not respond, the response may get lost, and the kill may come before or after it.
    gate.mode = (["hold", "swallow", "pass"] as const)[killed % 3] ?? "pass";
    const { ids, ended, kill } = startApp(options, 2, "wait");
    await until(() => ids.length > 0);
    await sleep(randomNumber() * 30); // the test varies the moment of the kill
    kill();
    await ended;
    for (const id of ids) handed.add(id);
  }
  gate.mode = "pass";
  const { ids, ended } = startApp(options, 0, "flush");
  await ended;
  assert.deepEqual(ids, ["flushed true"]);
  const stored = new Set(await door.reportIds());
  const lost = [...handed].filter((id) => !stored.has(id));
  console.log(
    `${kills} kills: ${handed.size} reports handed over, ${lost.length} lost, ${stored.size} stored, each once`,
  );
  assert.deepEqual(lost, []);
});

test("flush keeps a process alive until its reports have arrived", async () => {
  await using queue = await makeQueue();
  await using gate = await startGate(door.url);
  gate.mode = "cut";
  gate.onRequest = () => {
    gate.onRequest = () => {
      gate.mode = "pass"; // the first attempt fails, so that only the retry delay is left
    };
  };
  const { ids, ended } = startApp({ ingestUrl: gate.url, key: door.key, queue }, 1, "flush");
  await ended;
  assert.equal(ids[1], "flushed true");
});

test("heartbeat files of processes that died with an empty queue are deleted", async () => {
  await using queue = await makeQueue();
  const [dead, living] = ["0a1b2c3d.process", "4e5f6a7b.process"].map((file) => join(queue.directory, file));
  for (const sign of [dead, living]) await writeFile(`${sign}`, "{}");
  await utimes(`${dead}`, 0, 0);
  const lodge = createLodge({ ingestUrl: door.url, key: door.key, queue });
  await until(async () => !(await readdir(queue.directory)).includes(basename(`${dead}`)));
  assert.ok((await readdir(queue.directory)).includes(basename(`${living}`)));
  await lodge.close();
});

test("the next process sends the report of a process that crashed", async () => {
  await using queue = await makeQueue();
  const options = { ingestUrl: door.url, key: door.key, queue, capture: { errors: true } };
  await startApp(options, 0, "throw").ended;
  assert.equal(await reportsIn(queue.directory), 1);
  const [file = ""] = (await readdir(queue.directory)).filter((name) => name.endsWith(".report"));
  await startApp(options, 0, "flush").ended;
  const { envelope } = await door.deps.db
    .selectFrom("events")
    .select("envelope")
    .where("report_id", "=", file.slice(0, 36))
    .executeTakeFirstOrThrow();
  const { kind, tags, error } = JSON.parse(`${envelope}`);
  assert.deepEqual([kind, tags.unhandled, error.message], ["crash", "error", "nobody handles this"]);
  assert.match(error.stack, /Caused by: password=\[redacted\]/);
});

test("a process that crashes at every start keeps to the queue's size limit", async () => {
  await using queue = await makeQueue();
  const options = {
    ingestUrl: door.url,
    key: door.key,
    queue: { ...queue, bytesMax: 2000 },
    capture: { errors: true },
  };
  for (let starts = 0; starts < 8; starts++) await startApp(options, 0, "throw").ended;
  const files = (await readdir(queue.directory)).filter((file) => file.endsWith(".report"));
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(queue.directory, file))).size));
  assert.ok(sizes.length > 0 && sizes.reduce((sum, size) => sum + size, 0) < 3000, `${sizes}`);
});

test("a full queue drops the oldest reports without attachments, and the next report lists them", async () => {
  await using queue = await makeQueue();
  await using gate = await startGate(door.url);
  gate.mode = "hold";
  const bytesMax = 3000;
  const lodge = createLodge({ ingestUrl: gate.url, key: door.key, queue: { ...queue, bytesMax } });
  const attachments = [{ name: "log", data: "x".repeat(500) }];
  const withOne = await lodge.report({ title: "with one", attachments });
  const without = await lodge.report({ title: "without", message: "y".repeat(900) });
  const last = await lodge.report({ title: "the last", attachments: [{ name: "log", data: "z".repeat(500) }] });
  await assert.rejects(without.receipt, { code: "dropped" });
  assert.ok(lodge.status().bytes <= bytesMax);
  await lodge.close();
  const next = createLodge({ ingestUrl: door.url, key: door.key, queue });
  assert.ok(await next.flush());
  await next.close();
  const ids = await door.reportIds();
  assert.deepEqual(
    [withOne, without, last].map(({ reportId }) => ids.includes(reportId)),
    [true, false, true],
  );
  const { envelope } = await door.deps.db
    .selectFrom("events")
    .select("envelope")
    .where("report_id", "=", last.reportId)
    .executeTakeFirstOrThrow();
  const [dropped] = JSON.parse(`${envelope}`).dropped;
  assert.deepEqual([dropped.partName, dropped.reason], [without.reportId, "queue_full"]);
});

test("parts above the deployment's limits are dropped before sending", async () => {
  await using queue = await makeQueue();
  await using small = await startDoor({ LODGE_INGEST_REQUEST_BYTES: "20000", LODGE_INGEST_ATTACHMENT_BYTES: "9000" });
  const lodge = createLodge({ ingestUrl: small.url, key: small.key, queue });
  assert.equal((await lodge.config()).limits.attachmentBytes, 9000);
  const { receipt, reportId } = await lodge.report({
    title: "t".repeat(300),
    tags: Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`tag${index}`, "x"])),
    attachments: [9001, 8000, 7999, 10, 10, 10].map((bytes, index) => ({ name: `${index}`, data: "x".repeat(bytes) })),
  });
  assert.equal((await receipt).status, "received");
  await lodge.close();
  const { envelope } = await small.deps.db
    .selectFrom("events")
    .select("envelope")
    .where("report_id", "=", reportId)
    .executeTakeFirstOrThrow();
  const { title, tags, attachments, dropped } = JSON.parse(`${envelope}`) as sdk.Envelope;
  assert.equal(title?.length, 200);
  assert.equal(Object.keys(tags ?? {}).length, 50);
  assert.deepEqual(
    attachments?.map(({ filename }) => filename),
    ["2", "3", "4"],
  );
  const reasons = dropped?.filter(({ partName }) => !partName.startsWith("tag "));
  assert.deepEqual(
    reasons?.map(({ partName, reason }) => `${partName}: ${reason}`),
    ["title: too_long", "5: too_many", "0: too_large", "1: too_large"],
  );
});

test("parts that are too large for a proxy are dropped, whatever page the proxy responds with", async () => {
  await using queue = await makeQueue();
  await using gate = await startGate(door.url);
  gate.mode = "small";
  const lodge = createLodge({ ingestUrl: gate.url, key: door.key, queue });
  const attachments = ["x".repeat(20_000), "small"].map((data, index) => ({ name: `${index}`, data }));
  const { reportId, receipt } = await lodge.report({ attachments });
  await receipt;
  await lodge.close();
  const { attachments: sent, dropped } = await storedEnvelope(reportId);
  assert.deepEqual([sent?.map(({ filename }) => filename), dropped?.[0]?.partName], [["1"], "0"]);
});

test("a report arrives whatever values it has and whatever the app's callbacks do", async () => {
  await using queue = await makeQueue();
  const throws = () => {
    throw new Error("of the app");
  };
  const lodge = createLodge({
    ...{ ingestUrl: door.url, key: door.key, queue, user: throws, onStatus: throws },
    redact: (text) => (text === "not to be redacted" ? throws() : text),
  });
  const arrived = async (report: sdk.Report) => {
    const { reportId, receipt } = await lodge.report(report);
    await receipt;
    return storedEnvelope(reportId);
  };
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const unreadable = Object.defineProperty(new Error("x"), "message", { get: throws });
  const errors = [proxy, unreadable, Symbol("none"), Object.create(null), runInNewContext("new RangeError('far')")];
  const told = await Promise.all(errors.map((error) => arrived({ error })));
  assert.deepEqual(
    told.map(({ error }) => `${error?.type}: ${error?.message}`),
    ['object: "[unreadable]"', 'object: "[unreadable]"', "symbol: Symbol(none)", "object: {}", "RangeError: far"],
  );
  const caused = await arrived({ error: new Error("kept", { cause: { stack: 12 } }) });
  assert.equal(caused.error?.message, "kept");

  const context = {
    get broken() {
      return throws();
    },
    proxy,
    kept: 1,
    bytes: new Uint8Array(10_000_000),
  };
  const hostile = await arrived({ title: "not to be redacted", context, error: new Error("long ".repeat(1_000_000)) });
  assert.equal(hostile.title, "[unreadable]");
  assert.deepEqual(
    [hostile.context?.broken, hostile.context?.proxy, hostile.context?.kept, hostile.context?.bytes],
    ["[unreadable]", "[unreadable]", 1, "[object Uint8Array]"],
  );
  assert.match(hostile.error?.message ?? "", /^long .* \[cut\]$/);
  const many = await arrived({ context: { list: new Array(1_000_000).fill(1) } });
  assert.ok((many.context as { list: unknown[] }).list.length < 20_000);
  await lodge.close();
});

test("a title is redacted before it is cut", async () => {
  await using queue = await makeQueue();
  const lodge = createLodge({ ingestUrl: door.url, key: door.key, queue });
  const { reportId, receipt } = await lodge.report({
    title: `${"pin=1 ".repeat(25)} ${"x".repeat(40)} 4242424242424242`,
  });
  await receipt;
  await lodge.close();
  const { title = "" } = await storedEnvelope(reportId);
  assert.equal(title.length, 200);
  assert.doesNotMatch(title, /\d/);
});

test("a report with an unreadable file arrives and lists the file as dropped", async () => {
  await using queue = await makeQueue();
  const path = join(queue.directory, "picked.txt");
  await writeFile(path, "as it was picked");
  const data = await openAsBlob(path);
  await writeFile(path, "changed meanwhile");
  const lodge = createLodge({ ingestUrl: door.url, key: door.key, queue });
  const { reportId, receipt } = await lodge.report({ attachments: [{ name: "picked.txt", data }] });
  await receipt;
  await lodge.close();
  const { dropped } = await storedEnvelope(reportId);
  assert.deepEqual(dropped, [{ partName: "picked.txt", reason: "unreadable" }]);
});

test("setting the clock back does not delay a retry", async (t) => {
  await using queue = await makeQueue();
  await using gate = await startGate(door.url);
  gate.mode = "cut";
  const lodge = createLodge({ ingestUrl: gate.url, key: door.key, queue });
  const { receipt } = await lodge.report({ title: "before the clock was put back" });
  await until(() => lodge.status().state === "waiting" && gate.seen.length > 0);
  const { now } = Date;
  t.mock.method(Date, "now", () => now() - 3_600_000);
  gate.mode = "pass";
  await receipt;
  await lodge.close();
});

test("beforeSend can change or discard a report, and discards it by throwing", async () => {
  await using queue = await makeQueue();
  const lodge = createLodge({
    ingestUrl: door.url,
    key: door.key,
    queue,
    beforeSend: (envelope) => {
      if (envelope.title === "never") return null;
      if (envelope.title === "broken") throw new Error("broken");
      return { ...envelope, title: "changed" };
    },
  });
  const { reportId, receipt } = await lodge.report({ title: "any" });
  await receipt;
  await assert.rejects((await lodge.report({ title: "never" })).receipt, { code: "left_out" });
  await assert.rejects((await lodge.report({ title: "broken" })).receipt, { code: "left_out" });
  assert.ok(await lodge.flush());
  await lodge.close();
  const { envelope } = await door.deps.db
    .selectFrom("events")
    .select("envelope")
    .where("report_id", "=", reportId)
    .executeTakeFirstOrThrow();
  assert.equal(JSON.parse(`${envelope}`).title, "changed");
});

test("a conversation is stored, notified once, and answered once despite retries", async () => {
  await using queue = await makeQueue();
  await using gate = await startGate(door.url);
  await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    members: [{ email: "ada@acme.test", name: "Ada", role: "owner" }],
    apps: [{ name: "Web", slug: "web", replies: true }],
  });
  const ada = await signedIn(door, "ada@acme.test");
  const heard: string[] = [];
  const start = () =>
    createLodge({
      ...{ ingestUrl: gate.url, key: door.key, queue, installId: true },
      extend: replies({
        onReply: ({ text }, { id }) => {
          heard.push(`${id} ${text}`);
          throw new Error("of the app");
        },
      }),
    });
  const lodge = start();
  const { thread } = await (await lodge.report({ title: "The basket is empty" })).receipt;
  assert.ok(thread);
  assert.deepEqual(await lodge.threads(), [], "a thread without messages is not listed");
  const answer = (text: string) => ada.call(answerThread, { params: { threadId: thread.id }, body: { text } });
  await answer("Which browser?");
  const [first] = await lodge.threads();
  assert.deepEqual(
    first?.messages.map(({ number, author, authorName, text }) => [number, author, authorName, text]),
    [[1, "team", "Ada", "Which browser?"]],
  );
  await lodge.threads();
  assert.deepEqual(heard, [`${thread.id} Which browser?`]);

  gate.mode = "swallow";
  gate.onRequest = () => {
    gate.onRequest = () => {
      gate.mode = "pass"; // only the first response is lost
    };
  };
  const sent = await (await lodge.reply(thread.id, "Firefox")).receipt;
  assert.deepEqual([sent.number, sent.author], [2, "reporter"]);
  await lodge.close();
  await assert.rejects(lodge.reply(thread.id, "too late"), { code: "closed" });

  await answer("Thank you");
  await answer("It is mended");
  const next = start();
  await until(() => heard.length === 3); // even though onReply throws
  assert.equal(heard[1], `${thread.id} Thank you`);
  gate.mode = "cut";
  const [kept] = await next.threads();
  assert.deepEqual(
    kept?.messages.map(({ text }) => text),
    ["Which browser?", "Firefox", "Thank you", "It is mended"],
  );
  for (const text of ["Written while it is away", "And one more"]) {
    const { receipt } = await next.reply(thread.id, text);
    receipt.catch(() => {});
  }
  assert.deepEqual(
    (await next.threads())[0]?.unsent.map(({ text }) => text),
    ["Written while it is away", "And one more"],
  );
  await next.close();
  gate.mode = "pass";
  const later = start();
  await until(async () => (await later.threads())[0]?.unsent.length === 0);
  assert.deepEqual(
    (await later.threads())[0]?.messages.slice(4).map(({ author, text }) => [author, text]),
    [
      ["reporter", "Written while it is away"],
      ["reporter", "And one more"],
    ],
    "each message is sent once, in order",
  );
  await door.deps.pool.query("update threads set closed_at = now() where id = $1", [thread.id]);
  await assert.rejects((await later.reply(thread.id, "too late")).receipt, { code: "thread_closed" });
  const [ended] = await later.threads();
  assert.deepEqual([ended?.closed, ended?.unsent[0]?.refused], [true, "thread_closed"]);
  await assert.rejects(later.reply("nobody's", "x"), { code: "not_found" });
  await later.close();
});

test("the stack of an AggregateError ends with the errors that it groups", () => {
  const members = [new TypeError("no bank"), "no card"];
  const { type, stack = "" } = describeError(
    new AggregateError(members, "no way to pay", { cause: new Error("late") }),
  );
  assert.equal(type, "AggregateError");
  const lines = stack.split("\n").filter((line) => !/^\s+at /.test(line));
  assert.deepEqual(
    lines.filter((line) => line !== ""),
    ["AggregateError: no way to pay", "Caused by: Error: late", "[errors]: TypeError: no bank", "[errors]: no card"],
  );
  const broken = new AggregateError([]);
  Object.defineProperty(broken, "errors", { get: () => assert.fail("the errors cannot be read") });
  assert.equal(describeError(broken).type, "object");
});
