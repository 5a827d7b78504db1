import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { listAppSourceMaps, viewInbox } from "@lodge/contract/calls.generated";
import { sendNotices } from "../people/notifications/send-notices.ts";
import { signedIn } from "./dashboard-client.ts";
import { startReceiver } from "./start-receiver.ts";
import { type Service, startService, withWorker } from "./start-service.ts";
import { submitReport } from "./submit-report.ts";
import { webhook } from "./subscribe.ts";
import { until } from "./until.ts";

// What one tenant sends must never keep another tenant's reports from being read, delivered and told of: whatever it is,
// and after a restart as well. The database of these tests refuses what says "refused", and is too slow for what says
// "slow", which stands for whatever a later version may stumble over.

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

/** A valid map whose mappings are in no order, all in one line, as VLQ: source, line and column never change. */
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

/** Reports that have been trouble to somebody, or could be. */
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

async function makeTenant(lodge: Service, name: string, apps: Parameters<Service["apply"]>[0]["apps"]) {
  const slug = `${name}-${randomUUID()}`;
  const email = `ada@${slug}.test`;
  const made = await lodge.apply({
    organisation: { name, slug },
    members: [{ email, name: `Ada of ${name}`, role: "owner" }],
    tokens: [{ name: "CI", scope: "all", permissions: ["sourcemaps:write"] }],
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog"] }] }],
    ...(apps && { apps }),
  });
  return { ...made, email, ada: await signedIn(lodge, email) };
}
type Tenant = Awaited<ReturnType<typeof makeTenant>>;

async function upload(lodge: Service, tenant: Tenant, slug: string, maps: Record<string, string>) {
  for (const [file, map] of Object.entries(maps)) {
    const form = new FormData();
    form.set(file, new Blob([map]));
    const { status } = await fetch(`${lodge.url}/api/v1/apps/${slug}/source-maps`, {
      method: "POST",
      headers: { authorization: `Bearer ${tenant.tokens[0]?.secret}` },
      body: form,
    });
    assert.equal(status, 200);
  }
}

const inboxOf = async (tenant: Tenant, appId: string) => {
  const { entries } = await tenant.ada.call(viewInbox, { params: { appId }, query: { state: "any", show: "all" } });
  return entries;
};

test("whatever one tenant sends, another tenant's reports are read, delivered and told of", async () => {
  await using receiver = await startReceiver();
  await using hostileReceiver = await startReceiver((_request, response, index) => {
    if (index % 3 === 0) response.writeHead(200).end(Buffer.from([0, 0xff, 0xed, 0xa0, 0xbd, 0]));
    else if (index % 3 === 1) response.writeHead(500, { "retry-after": "1e400" }).end("\u0000".repeat(100_000));
    else response.socket?.destroy();
  });
  const settings = { LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1", LODGE_INGEST_RATE_LIMITS: "off" };
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

  /** Everything that the hostile tenant can have the worker read. */
  const poison = async () => {
    for (const app of mallory.apps) {
      const key = app.keys[0]?.key ?? "";
      for (const report of hostileReports) {
        const text = typeof report === "string" ? report : JSON.stringify(report);
        const envelope = text.replace("{", `{"reportId":"${randomUUID()}",`);
        // Some of it is refused at the door, which is as well.
        await submitReport(lodge.url, key, envelope).catch((error: unknown) => {
          assert.ok(error instanceof assert.AssertionError && error.actual === 400, String(error));
        });
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
  };
  const orderOf = (path: string) =>
    receiver.received
      .filter((request) => request.path === path)
      .map(({ body }) => JSON.parse(body.toString()).data.eventId as string);

  /** A report of the other tenant's, to an app without and one with source maps: read, delivered, and told of. */
  const suffers = async () => {
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
    const told = "select from happenings where id = $1 and told_at is not null";
    await until(async () => (await pool.query(told, [rows[0].id])).rowCount === 1);
  };

  const startWorker = () =>
    startService({ ...settings, ...withWorker, ...lodge.env }, { store: lodge.deps.store, urls: lodge.deps.urls });
  await poison();
  {
    await using _worker = await startWorker();
    await suffers();
    await poison();
    await suffers();
  }
  await poison();
  await using _worker = await startWorker();
  await suffers();

  // And of the tenant itself nothing is lost but what it has spoilt.
  const [maps, one] = mallory.apps;
  const problemsOf = async (appId = "") =>
    (await inboxOf(mallory, appId)).map((entry) =>
      entry.type === "problem" ? entry.problem.title : entry.event.title,
    );
  await until(async () => (await problemsOf(one?.id)).includes("A good one"));
  assert.ok(
    (await problemsOf(one?.id)).includes("A report that could not be read"),
    "and one that was refused as it came",
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
