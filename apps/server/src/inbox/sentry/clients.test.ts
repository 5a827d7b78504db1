import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { Envelope } from "@lodge/contract/envelope";
import { slowTest } from "../../testing/slow-test.ts";
import { type Door, startDoor } from "../../testing/start-door.ts";
import { until } from "../../testing/until.ts";
import type { Translated } from "./translate-event.ts";

// Unmodified Sentry clients, configured only with a DSN.

const program = (name: string) => fileURLToPath(new URL(`clients/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "lodge-sentry-"));
after(() => rmSync(folder, { recursive: true }));

/** Runs a program with a DSN until it exits, with whatever status. */
const run = (dsn: string, command: string, args: string[], env: Record<string, string> = {}) =>
  new Promise<string>((resolve) => {
    const options = { env: { ...process.env, ...env, SENTRY_DSN: dsn } };
    execFile(command, args, options, (_error, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });

/** Runs a few lines in Node, with the client set up as `Sentry`. */
const runNode = (dsn: string, lines: string) =>
  run(dsn, process.execPath, [
    "--input-type=module",
    "--eval",
    `import * as Sentry from ${JSON.stringify(import.meta.resolve("@sentry/node"))};
    Sentry.init();
    ${lines}
    await Sentry.flush(20_000);
    console.log("goes on");`,
  ]);

function buildGo(): string {
  const built = join(folder, "app");
  // Debian packages Go libraries as sources in their own folder.
  const env = {
    ...process.env,
    GO111MODULE: "off",
    GOPATH: "/usr/share/gocode",
    GOCACHE: join(folder, "go"),
    GOFLAGS: "",
  };
  execFileSync("go", ["build", "-o", built, program("app.go")], { env });
  return built;
}

/** The reports of the app, oldest first. */
async function received({ deps }: Door) {
  const rows = await deps.db.selectFrom("events").select(["report_id", "envelope", "original"]).orderBy("id").execute();
  return rows.map(({ envelope, original }) => ({
    envelope: JSON.parse(envelope.toString()) as Translated & Envelope,
    original: JSON.parse(original?.toString() ?? "null") as Record<string, unknown>,
  }));
}

const clients = {
  node: {
    run: (dsn: string) => run(dsn, process.execPath, [program("app.mjs")]),
    has: {
      platform: "node",
      error: "Error",
      cause: ["TypeError", "no amount"],
      uncaught: "RangeError",
      frame: "pay",
      message: ["info", "Message"],
    },
    files: true,
    feedback: true,
  },
  python: {
    run: (dsn: string) => run(dsn, "/usr/bin/python3", [program("app.py")]),
    has: {
      platform: "python",
      error: "RuntimeError",
      cause: ["ValueError", "invalid literal for int() with base 10: 'no amount'"],
      uncaught: "KeyError",
      frame: "pay",
      message: ["info", undefined],
    },
    files: true,
    feedback: true,
  },
  ruby: {
    run: (dsn: string) => run(dsn, "ruby", [program("app.rb")]),
    has: {
      platform: "ruby",
      error: "RuntimeError",
      cause: ["ArgumentError", 'invalid value for Integer(): "no amount"'],
      frame: "rescue in pay",
      message: ["error", undefined],
    },
  },
  "raven, the old client of Ruby": {
    run: (dsn: string) => run(dsn, "ruby", [program("raven.rb")]),
    has: {
      platform: "ruby",
      error: "RuntimeError",
      cause: ["ArgumentError", 'invalid value for Integer(): "no amount"'],
      uncaught: "KeyError",
      frame: "rescue in pay",
      message: ["error", undefined],
    },
    sendsNothingTwice: true,
  },
  go: {
    run: (dsn: string) => run(dsn, buildGo(), []),
    has: {
      platform: "go",
      error: "*fmt.wrapError",
      cause: ["*errors.errorString", "no amount"],
      uncaught: "runtime.boundsError",
      frame: "main",
      message: ["info", undefined],
    },
  },
} as const;

for (const [name, client] of Object.entries(clients)) {
  const testIt = name === "node" ? test : slowTest; // the others take seconds to start or build
  testIt(
    `${name}: with only a DSN, errors with causes, messages, breadcrumbs, tags and the user are received`,
    async () => {
      await using door = await startDoor();
      const {
        has,
        ...may
      }: { has: Record<string, unknown>; files?: boolean; feedback?: boolean; sendsNothingTwice?: boolean } = client;
      const said = await client.run(door.dsn);
      const reports = await received(door);
      const find = (what: string, matches: (envelope: Translated & Envelope) => boolean) => {
        const found = reports.filter(({ envelope }) => matches(envelope));
        assert.equal(found.length, 1, `${what}: ${JSON.stringify(reports, null, 1)} ${said}`);
        return found[0] as (typeof found)[0];
      };
      const { envelope, original } = find(
        "the error",
        ({ error }) => error?.message.startsWith("card declined") === true,
      );
      assert.equal(envelope.reportId, `${original.event_id}`.replaceAll("-", ""));
      assert.deepEqual([envelope.kind, envelope.level, envelope.platform], ["bug", "error", has.platform]);
      assert.equal(envelope.error?.type, has.error);
      assert.deepEqual(
        envelope.error?.causes?.map(({ type, message }) => [type, message]),
        [has.cause],
      );
      assert.equal(envelope.error?.frames?.[0]?.function, has.frame);
      assert.equal(envelope.error?.frames?.[0]?.inApp, true);
      assert.deepEqual(envelope.user, { id: "u-1", email: "ada@example.test", name: "ada" });
      assert.deepEqual(envelope.app, {
        version: "1.2.3",
        build: "45",
        environment: "staging",
        release: "shop@1.2.3+45",
      });
      assert.equal((envelope.tags as Record<string, string>).flow, "checkout");
      const [crumb] = envelope.breadcrumbs ?? [];
      assert.deepEqual([crumb?.category, crumb?.message, crumb?.data], ["cart", "added", { sku: 7 }]);
      const message = find("the message", (report) => report.message === "a message").envelope;
      assert.deepEqual([message.level, message.error?.type], has.message);
      if (!may.sendsNothingTwice) find("the message that was sent twice", (report) => report.message === "twice");
      if (has.uncaught) {
        const uncaught = find("the uncaught error", ({ error }) => error?.type === has.uncaught).envelope;
        assert.equal(uncaught.kind, may.sendsNothingTwice ? "bug" : "crash", said);
      }
      if (may.files) assert.equal(envelope.attachments?.[0]?.filename, "app.log");
      if (!may.feedback) return;
      const feedback = find("the feedback", ({ kind }) => kind === "feedback").envelope;
      assert.equal(feedback.message, "It broke.");
      assert.deepEqual([feedback.user?.name, feedback.user?.email], ["Ada", "ada@example.test"]);
      assert.equal((feedback.tags as Record<string, string>).event, envelope.reportId);
    },
  );
}

slowTest("a thousand events of one process are each received once", async () => {
  await using door = await startDoor();
  await runNode(
    door.dsn,
    `for (let index = 0; index < 1_000; index++) {
      Sentry.captureMessage("event " + index);
      if (index % 50 === 49) await Sentry.flush(20_000);
    }`,
  );
  const messages = (await received(door)).map(({ envelope }) => envelope.message);
  assert.equal(new Set(messages).size, 1_000);
  assert.equal(messages.length, 1_000);
});

test("a client that gets a 429 waits as X-Sentry-Rate-Limits says", async () => {
  await using door = await startDoor({ LODGE_INGEST_RATE_LIMITS: "on", LODGE_INGEST_KEY_RATE_PER_MINUTE: "2" });
  const said = await runNode(
    door.dsn,
    `for (let index = 0; index < 10; index++) {
      Sentry.captureMessage("event " + index);
      await Sentry.flush(20_000);
    }`,
  );
  assert.match(said, /goes on/);
  assert.equal((await received(door)).length, 2);
  assert.deepEqual(await door.refusals(1), { rate_limit_exceeded: 1 }, "the other seven were not sent");
  const answer = await door.request("POST", `/api/${door.dsn.split("/").at(-1)}/envelope/?sentry_key=${door.key}`, {
    body: "{}\n",
  });
  assert.equal(answer.status, 429);
  assert.equal(answer.headers.get("x-sentry-rate-limits"), `${answer.headers.get("retry-after")}::key`);
});

test("a client keeps working after a 413, a wrong key, a suspension, a disabled app and an unreachable server", async () => {
  await using door = await startDoor();
  const capture = `Sentry.captureMessage("refused", { extra: { text: "x".repeat(10) } }); await Sentry.flush(20_000);`;
  const large = `Sentry.captureMessage("large", { extra: { list: Array.from({ length: 600 }, () => "x".repeat(10_000)) } });`;
  assert.match(
    await runNode(door.dsn, `${large} await Sentry.flush(20_000); Sentry.captureMessage("next");`),
    /goes on/,
  );
  assert.deepEqual(
    (await received(door)).map(({ envelope }) => envelope.message),
    ["next"],
  );
  assert.match(await runNode(door.dsn.replace(door.key, `${door.key.slice(0, -1)}_`), capture), /goes on/);
  await door.deps.db.updateTable("apps").set({ enabled: false }).execute();
  assert.match(await runNode(door.dsn, capture), /goes on/);
  await door.deps.pool.query(
    "insert into suspensions (organisation_id, since, ends_on) select id, '2026-05-01', '9999-01-01' from organisations",
  );
  assert.match(await runNode(door.dsn, capture), /goes on/);
  await until(async () => {
    const { payload_too_large, app_disabled, org_suspended } = await door.refusals();
    return payload_too_large === 1 && app_disabled === 1 && org_suspended === 1;
  });
  assert.match(await runNode(door.dsn.replace(/:\d+\//, ":1/"), capture), /goes on/);
  assert.equal((await received(door)).length, 1);
});
