import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { createCaller } from "@lodge/contract/call";
import { appendRunLog, finishRun, listAppSourceMaps, takeRun, viewInbox } from "@lodge/contract/calls.generated";
import { sendNotices } from "../people/notifications/send-notices.ts";
import { queueMail } from "../platform/outbound/queue-mail.ts";
import { signedIn } from "./dashboard-client.ts";
import { type SentryItem, sentryEnvelope } from "./sentry-envelope.ts";
import { startMailServer } from "./start-mail-server.ts";
import { startReceiver } from "./start-receiver.ts";
import { type Service, startService, withWorker } from "./start-service.ts";
import { submitReport } from "./submit-report.ts";
import { webhook } from "./subscribe.ts";
import { until } from "./until.ts";

// Nothing that one tenant sends may keep another tenant's reports from being read, delivered and notified, even after a
// restart. The database of these tests fails on texts with "refused", and is too slow for texts with "slow": they stand
// for anything that a later version may not handle.

const poisonSql = `
  create function poison() returns trigger language plpgsql as $$
  begin
    if to_jsonb(new)::text like '%refused%' then raise exception 'refused' using errcode = '22P05'; end if;
    if to_jsonb(new)::text like '%slow%' then
      raise exception 'canceling statement due to statement timeout' using errcode = '57014';
    end if;
    return new;
  end $$;
  create trigger poison before insert on event_summaries for each row execute function poison();
  create trigger poison before insert on problems for each row execute function poison();
  create trigger poison before insert on notices for each row execute function poison();`;

const mappings = 2_000_000;

/** A valid source map on one line, with unsorted VLQ mappings: source, line and column never change. */
function unsortedMap(): string {
  let random = 1;
  const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const segments: string[] = [];
  let at = 0;
  while (segments.length < mappings) {
    random = (random * 48_271) % 2_147_483_647;
    const to = random % 100_000;
    let rest = Math.abs(to - at) * 2 + (to < at ? 1 : 0);
    let segment = "";
    for (; rest > 31; rest = Math.floor(rest / 32)) segment += digits[(rest % 32) + 32];
    segments.push(`${segment}${digits[rest]}AAA`);
    at = to;
  }
  return JSON.stringify({ version: 3, sources: ["a.ts"], names: [], mappings: segments.join(",") });
}

const stack = (...lines: string[]) => ({
  error: { type: "Error", message: "x", stack: ["Error: x", ...lines].join("\n") },
});
const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

/** Reports that have caused trouble somewhere, or could. */
const hostileReports: (Record<string, unknown> | string)[] = [
  { title: "refused" },
  { kind: "crash", error: { type: "Error", message: "slow" } },
  {
    title: "\u0000 \ud83d \udc00",
    tags: { "\u0000": "\ud83d" },
    user: { id: "\u0000", email: "\ud83d", name: "\u0000" },
  },
  { kind: "crash", fingerprint: ["\u0000", "\ud83d"], error: { type: "\u0000", message: "\udc00", stack: "\u0000" } },
  stack(...Array.from({ length: 3_000 }, () => "    at ")),
  stack(`    at ${"a ".repeat(30_000)}(`),
  stack("@".repeat(60_000)),
  stack(...Array.from({ length: 30 }, () => `f@${"http://".repeat(280)}:1:1`)),
  stack(...Array.from({ length: 30 }, () => `    at ${"eval at ".repeat(200)}(https://a.test/a.js:1:1)`)),
  { kind: "crash", error: { type: "Error", message: `${"/a".repeat(250)}${"0".repeat(50_000)}` } },
  { title: "😀".repeat(40), message: "é".repeat(9_000), app: { version: "9".repeat(100), environment: "\ud83d" } },
  `{"title":"deep","context":{"x":${nested(90)}}}`,
  `{"title":"numbers","context":{"x":1e400,"y":-1e-400,"z":${"9".repeat(400)}}}`,
  { title: "dates", breadcrumbs: [{ at: "+275760-09-13T00:00:00.000Z", message: "late" }] },
];

/** Beginnings of stacks of every language, repeated, which no pattern must retry from each position. */
const hostileStacks = [
  'Traceback (most recent call last):\n  File "a.py", line 1, in f\n',
  "During handling of the above exception, another exception occurred:\n",
  "goroutine 1 [running]:\nmain.f(0x1, 0x2)\n\t",
  "Caused by: a.b.C: ",
  "Caused by: ".repeat(50),
  "\tat a.b.C$D.lambda$f$0(",
  "a.rb:1:in `f': ",
  "#0 /a/b.php(1): ",
  "0   App  0x0000000104 ",
  "#0      f (package:a/b.dart:",
  "   at A.B.C[T](String s) in C:\\a.cs:line ",
  " --- End of inner exception stack trace ---\n",
  "   0: a::b::{{closure}}\n             at ",
  "    (a 1.0) lib/a.ex:1: ",
  "((((((((",
  "::::::::",
  "        ",
  "........",
  "\t\n",
].map((part) => stack(part.repeat(Math.ceil(60_000 / part.length)), `${part.repeat(200)}!`));

/** The same for Sentry's clients, by item type. */
const hostileItems: [type: string, payload: unknown][] = [
  ["event", { message: "refused" }],
  ["event", { exception: { values: [{ type: "Error", value: "slow" }] } }],
  [
    "event",
    { exception: [{ type: "\u0000", value: "\ud83d", module: "\u0000", stacktrace: { frames: [null, 1, {}] } }] },
  ],
  [
    "event",
    { exception: Array.from({ length: 500 }, () => ({ type: "E", value: "x", stacktrace: { frames: [{}] } })) },
  ],
  [
    "event",
    {
      platform: "javascript",
      exception: [
        {
          type: "Error",
          value: "x",
          stacktrace: {
            frames: ["a.js", "b.js", "c.js"].map((file) => ({
              filename: `https://a.test/${file}`,
              function: "a.".repeat(30_000),
              lineno: 1,
              colno: 40_000,
            })),
          },
        },
      ],
      debug_meta: { images: [{ type: "sourcemap", code_file: "https://a.test/a.js", debug_id: "\u0000" }] },
    },
  ],
  ["event", { fingerprint: ["\u0000", "\ud83d", { a: 1 }], tags: [["\u0000", "\ud83d"], ["event", "x"], [1]] }],
  [
    "event",
    { timestamp: 1e300, breadcrumbs: [{ timestamp: "9999-99-99", data: "\u0000" }], release: "@+@+".repeat(10_000) },
  ],
  ["event", `{"contexts":{"x":${nested(190)}},"__proto__":{"x":1},"tags":{"__proto__":"x"}}`],
  [
    "feedback",
    { contexts: { feedback: { message: "\u0000", associated_event_id: "0".repeat(32), contact_email: "\ud83d" } } },
  ],
  ["user_report", { event_id: "0".repeat(32), comments: "refused", name: "\u0000", email: 5 }],
  ["client_report", { discarded_events: [{ reason: "\u0000", category: {}, quantity: 1e300 }] }],
];

async function makeTenant(lodge: Service, name: string, apps: Parameters<Service["apply"]>[0]["apps"]) {
  const slug = `${name}-${randomUUID()}`;
  const email = `ada@${slug}.test`;
  const made = await lodge.apply({
    organisation: { name, slug, credits: 100 },
    members: [{ email, name: `Ada of ${name}`, role: "owner" }],
    tokens: [{ name: "CI", scope: "all", permissions: ["sourcemaps:write", "tickets:write"] }],
    runners: [{ name: "runner" }],
    projects: [
      {
        name: "Web",
        slug: "web",
        boards: [{ name: "Inbox", columns: ["Backlog"] }],
        repositories: [{ name: "web", url: "https://git.example.test/web.git" }],
      },
    ],
    ...(apps && { apps }),
  });
  return { ...made, email, ada: await signedIn(lodge, email) };
}
type Tenant = Awaited<ReturnType<typeof makeTenant>>;

async function upload(lodge: Service, tenant: Tenant, slug: string, maps: Record<string, string>) {
  for (const [file, map] of Object.entries(maps)) {
    const form = new FormData();
    form.set(file, new Blob([map]));
    const headers = { authorization: `Bearer ${tenant.tokens[0]?.secret}` };
    const address = `${lodge.url}/api/v1/apps/${slug}/source-maps`;
    for (;;) {
      const answer = await fetch(address, { method: "POST", headers, body: form });
      const text = await answer.text();
      if (text.includes("busy")) continue; // a slow test machine, so it is retried
      assert.equal(answer.status, 200, text);
      break;
    }
  }
}

/** Lets a tenant's agent finish a run with a text, on a ticket that the owner follows. */
async function finishRunOf(lodge: Service, tenant: Tenant, text: string) {
  const { body, status } = await lodge.fileTicket(tenant.tokens[0]?.secret ?? "", {
    title: text.slice(0, 100),
    assigneeUserId: tenant.organisation.agentUserId,
  });
  assert.equal(status, 201);
  // Not through a browser client: with a worker, links and the pages' origin have another address.
  const commented = await fetch(`${lodge.url}/api/dashboard/tickets/${body.id}/comments`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      cookie: [...tenant.ada.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
    },
    body: JSON.stringify({ text }),
  });
  assert.equal(commented.status, 201, await commented.text());
  const headers = { authorization: `Bearer ${tenant.runners[0]?.secret}` };
  const call = createCaller({ baseUrl: lodge.url, headers });
  const { run } = await call(takeRun, { body: { takeId: randomUUID() } });
  assert.ok(run);
  const params = { runId: run.id };
  const entries = [{ kind: "output" as const, text: "\u001b[31m".repeat(1_000), at: new Date().toISOString() }];
  await call(appendRunLog, { params, body: { fence: run.fence, offset: 0, entries } });
  const result = { outcome: "succeeded" as const, summary: text, branch: "\u202e\n", patch: text };
  await call(finishRun, { params, body: { fence: run.fence, ...result } });
}

const inboxOf = async (tenant: Tenant, appId: string) => {
  const { entries } = await tenant.ada.call(viewInbox, { params: { appId }, query: { state: "any", show: "all" } });
  return entries;
};

test("other tenants' reports are read, delivered and notified, whatever one tenant sends", async () => {
  await using receiver = await startReceiver();
  await using hostileReceiver = await startReceiver((_request, response, index) => {
    if (index % 3 === 0) response.writeHead(200).end(Buffer.from([0, 0xff, 0xed, 0xa0, 0xbd, 0]));
    else if (index % 3 === 1) response.writeHead(500, { "retry-after": "1e400" }).end("\u0000".repeat(100_000));
    else response.socket?.destroy();
  });
  await using mail = await startMailServer();
  const settings = {
    LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
    LODGE_INGEST_RATE_LIMITS: "off",
    LODGE_SMTP_URL: mail.url,
    LODGE_MAIL_FROM: "lodge@lodge.test",
  };
  await using lodge = await startService({ ...settings, LODGE_ROLES: "api,ingest,dashboard" });
  const board = { kind: "board" as const, project: "web", board: "Inbox", column: "Backlog" };
  const mallory = await makeTenant(
    lodge,
    "mallory",
    ["maps", "one", "two", "three"].map((slug) => ({
      name: slug,
      slug,
      keys: ["default"],
      subscribers: [webhook(hostileReceiver), board],
    })),
  );
  const victim = await makeTenant(lodge, "victim", [
    { name: "Shop", slug: "shop", keys: ["default"], subscribers: [webhook(receiver, "/shop"), board] },
    { name: "Site", slug: "site", keys: ["default"], subscribers: [webhook(receiver, "/site")] },
  ]);
  const { pool } = lodge.deps;
  await pool.query(poisonSql);
  const bundles = ["a.js", "b.js", "c.js"];
  const large = unsortedMap();
  for (const file of bundles) await upload(lodge, mallory, "maps", { [file]: large });
  await upload(lodge, victim, "site", {
    "site.js": JSON.stringify({ version: 3, sources: ["site.ts"], names: [], mappings: "AAAA" }),
  });

  /** Everything that the hostile tenant can make the worker read. */
  const poison = async () => {
    for (const app of mallory.apps) {
      const key = app.keys[0]?.key ?? "";
      for (const report of [...hostileReports, ...(app.slug === "two" ? hostileStacks : [])]) {
        const text = typeof report === "string" ? report : JSON.stringify(report);
        const envelope = text.replace("{", `{"reportId":"${randomUUID()}",`);
        // Some reports are refused at submission, which is fine too.
        await submitReport(lodge.url, key, envelope).catch((error: unknown) => {
          assert.ok(error instanceof assert.AssertionError && error.actual === 400, String(error));
        });
      }
      for (const [type, payload] of hostileItems) {
        const item: SentryItem = [{ type }, payload];
        const body = sentryEnvelope({ event_id: randomUUID().replaceAll("-", "") }, [item]);
        const answer = await fetch(`${lodge.url}/api/${app.number}/envelope/?sentry_key=${key}`, {
          method: "POST",
          body,
        });
        assert.equal(answer.status, 200, `${type}: ${await answer.text()}`);
      }
      await submitReport(lodge.url, key, {
        reportId: randomUUID(),
        kind: "crash",
        ...stack(...bundles.map((file) => `    at f (https://a.test/${file}:1:40000)`)),
      });
      await submitReport(lodge.url, key, { reportId: randomUUID(), kind: "crash", title: "A good one" });
    }
    const happen = (kind: string, details: object) =>
      pool.query(
        "insert into happenings (organisation_id, kind, subject, details, created_at) values ($1, $2, $3, $4, now())",
        [mallory.organisation.id, kind, randomUUID(), details],
      );
    await happen("run.finished", { summary: 5, state: "succeeded" });
    await happen("run.asked", { question: { length: "x" } });
    await happen("run.held", { reason: "__proto__" });
    await happen("delivery.dead", { receiver: "refused", app: "x", reason: "y" });
    for (const text of ["refused", "slow", `x${"\u202e".repeat(5_000)}`]) await finishRunOf(lodge, mallory, text);
    for (const message of [
      {},
      { id: "x", to: "nobody", subject: 5, text: null },
      { id: "x\r\nBcc: y@z.test", to: "a@b.test\r\nBcc: y@z.test", subject: "\ud83d\n", text: "\r\n.\r\n" },
    ]) {
      await pool.query(
        `insert into _private_jobs (task_id, payload, max_attempts)
        select id, $1::json, 32767 from _private_tasks where identifier = 'send_mail'`,
        [JSON.stringify(message)],
      );
    }
  };
  const orderOf = (path: string) =>
    receiver.received
      .filter((request) => request.path === path)
      .map(({ body }) => JSON.parse(body.toString()).data.eventId as string);

  /**
   * Sends the other tenant's reports, to an app without and one with source maps, and checks that they are read,
   * delivered and notified.
   */
  const checkVictim = async () => {
    for (const [index, path] of ["/shop", "/site"].entries()) {
      const app = victim.apps[index];
      const { eventId } = await submitReport(lodge.url, app?.keys[0]?.key ?? "", {
        reportId: randomUUID(),
        ...stack("    at f (https://a.test/site.js:1:1)"),
      });
      await until(() => orderOf(path).includes(eventId));
      const read = "select from event_summaries where event_id = $1 and read_failure is null";
      await until(async () => (await pool.query(read, [eventId])).rowCount === 1);
    }
    const subject = randomUUID();
    const { rows } = await pool.query(
      `insert into happenings (organisation_id, kind, subject, details, created_at)
      values ($1, 'quota.warning', $2, '{"month": "2026-01", "percent": 80, "installs": 8, "limit": 10}', now()) returning id`,
      [victim.organisation.id, subject],
    );
    const notified = "select from happenings where id = $1 and told_at is not null";
    await until(async () => (await pool.query(notified, [rows[0].id])).rowCount === 1);
    const email = `${randomUUID()}@victim.test`;
    const message = { to: email, subject: "For the victim", text: "Hello." };
    await lodge.deps.db.transaction().execute((tx) => queueMail(tx, lodge.deps.config, message));
    await until(async () => (await mail.until(0)).some((sent) => sent.includes(`To: ${email}`)));
  };

  const startWorker = () =>
    startService({ ...settings, ...withWorker, ...lodge.env }, { store: lodge.deps.store, urls: lodge.deps.urls });
  await poison();
  {
    await using _worker = await startWorker();
    await checkVictim();
    await poison();
    await checkVictim();
  }
  await poison();
  await using _worker = await startWorker();
  await checkVictim();

  // The hostile tenant itself loses only the reports that cannot be read.
  const [maps, one] = mallory.apps;
  const problemsOf = async (appId = "") =>
    (await inboxOf(mallory, appId)).map((entry) =>
      entry.type === "problem" ? entry.problem.title : entry.event.title,
    );
  await until(async () => (await problemsOf(one?.id)).includes("A good one"));
  assert.ok(
    (await problemsOf(one?.id)).includes("A report that could not be read"),
    "a report that cannot be read is listed as such",
  );
  const { rows: unread } = await pool.query(
    "select app_id, count(*)::integer as count from unread_events join apps on apps.id = app_id where organisation_id = $1 group by app_id",
    [victim.organisation.id],
  );
  assert.deepEqual(unread, []);
  const listed = await mallory.ada.call(listAppSourceMaps, { params: { appId: maps?.id ?? "" } });
  assert.equal(listed.totalCount, bundles.length);
  await sendNotices(lodge.deps);
});
