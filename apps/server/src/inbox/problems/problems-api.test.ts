import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import type { Problem, ProblemEvent } from "@lodge/contract/apiproblems";
import type { Permission } from "@lodge/contract/roles";
import { movableClock } from "../../testing/movable-clock.ts";
import { makePatientDatabase, type Service, startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { readEvent } from "./read-events.ts";

const started = new AsyncDisposableStack();
const clock = movableClock();
let lodge: Service;
before(async () => {
  const patient = started.use(await makePatientDatabase());
  const settings = { ...patient.env, LODGE_TICKET_RATE_PER_MINUTE: "100000" };
  lodge = started.use(await startService(settings, { ...patient.overrides, clock }));
});
after(() => started.disposeAsync());

type Body = Problem & {
  error?: string;
  details?: { path: string }[];
  problems: Problem[];
  events: never;
  next: string | null;
};

/** An organisation with two apps, and a token that may read and change problems. */
async function team(permissions: Permission[] = ["problems:read", "problems:edit"]) {
  const slug = `acme-${randomUUID()}`;
  const { apps, tokens } = await lodge.apply({
    organisation: { name: "Acme", slug },
    projects: [{ name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Done"] }] }],
    tokens: [{ name: "Bot", scope: ["web"], permissions }],
    apps: [
      { name: "Shop", slug: "shop", keys: ["default"] },
      { name: "iOS", slug: "ios", keys: ["default"] },
    ],
  });
  const report = async (slug: string, type: string, more: object = {}) => {
    const app = apps.find((each) => each.slug === slug);
    const stack = `${type}: x\n    at ${type}Of (https://shop.example.test/src/${type.toLowerCase()}.ts:12:7)`;
    const { eventId } = await submitReport(lodge.url, app?.keys[0]?.key ?? "", {
      reportId: randomUUID(),
      error: { type, message: "x", stack },
      ...more,
    });
    await readEvent(lodge.deps, app?.id ?? "", eventId);
    clock.move(1_000);
    return eventId;
  };
  const ask = async (path: string, { method = "GET", body, headers = {} }: Asked = {}) => {
    const answer = await lodge.request(method, `/api/v1${path}`, {
      headers: { authorization: `Bearer ${tokens[0]?.secret}`, "content-type": "application/json", ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { ...answer, body: answer.body as unknown as Body };
  };
  const list = async (query: Record<string, string> = {}) => {
    const { status, body, text } = await ask(`/problems?${new URLSearchParams(query)}`);
    assert.equal(status, 200, text);
    return body;
  };
  const types = async (query: Record<string, string> = {}) => (await list(query)).problems.map(({ type }) => type);
  return { report, ask, list, types };
}
type Asked = { method?: string; body?: unknown; headers?: Record<string, string> };

test("the problems of all apps are sorted and paged, each listed once, in every order", async () => {
  const { report, list, types } = await team();
  for (const [app, type, users] of [
    ["shop", "AError", 1],
    ["ios", "BError", 3],
    ["shop", "CError", 2],
  ] as const) {
    for (let user = 1; user <= users; user++) await report(app, type, { user: { id: `u-${user}` } });
  }
  await report("shop", "AError", { user: { id: "u-1" } });
  await report("shop", "AError", { user: { id: "u-1" } });
  await report("shop", "AError", { user: { id: "u-1" } });
  const orders = {
    lastSeenAt: ["AError", "CError", "BError"],
    firstSeenAt: ["CError", "BError", "AError"],
    events: ["AError", "BError", "CError"],
    users: ["BError", "CError", "AError"],
  };
  assert.deepEqual(await types(), orders.lastSeenAt);
  for (const [sort, order] of Object.entries(orders)) {
    const paged: (string | null)[] = [];
    let cursor: string | null = null;
    do {
      const page: Body = await list({ sort, limit: "1", ...(cursor && { cursor }) });
      assert.equal(page.problems.length, 1);
      paged.push(...page.problems.map(({ type }) => type));
      cursor = page.next;
    } while (cursor);
    assert.deepEqual(paged, order, sort);
  }
  assert.deepEqual(await types({ app: "ios" }), ["BError"]);
  await report("ios", "DError", { title: "The cart is empty" }); // a problem with the title of its report, not of its error
  assert.deepEqual(await types({ app: "ios" }), ["DError", "BError"]);
});

test("a search accepts the terms of the inbox, across apps", async () => {
  const { report, types } = await team();
  await report("shop", "TypeError", {
    user: { id: "u-7", email: "Grace@example.com" },
    app: { version: "1.4.0", environment: "production" },
    tags: { plan: "business class" },
  });
  await report("ios", "RangeError", { installId: "tablet-4", app: { version: "1.3.0" } });
  for (const q of [
    "user:grace@example.com",
    "u-7",
    "file:typeerror.ts",
    "function:TypeErrorOf",
    "type:TypeError",
    "version:1.4.0 environment:production",
    'tag.plan:"business class"',
    "user:u-7 file:typeerror typeerror",
    "type:TypeError is:new",
    "TypeError",
    "Ty",
  ]) {
    assert.deepEqual(await types({ q }), ["TypeError"], q);
  }
  assert.deepEqual(await types({ q: "user:tablet-4" }), ["RangeError"]);
  assert.deepEqual(await types({ q: "is:new" }), ["RangeError", "TypeError"]);
  for (const q of ["file:TypeErrorOf", "version:1.4", "user:u-7 type:RangeError", "is:back", "100%"]) {
    assert.deepEqual(await types({ q }), [], q);
  }
  clock.move(25 * 3_600_000);
  assert.deepEqual(await types({ q: "is:new" }), []);
});

test("filters are validated, and unknown apps are refused", async () => {
  const { ask, report, list } = await team();
  await report("shop", "AError");
  await report("shop", "BError");
  const { next } = await list({ limit: "1" });
  for (const query of ["sort=title", "limit=0", "limit=101", "state=odd", "cursor=x", "odd=1", "q=", "q=%00"]) {
    const { status, body } = await ask(`/problems?${query}`);
    assert.deepEqual([status, body.error], [400, "invalid_input"], query);
  }
  assert.equal((await ask(`/problems?sort=events&cursor=${next}`)).status, 400, "a cursor is valid for one sort order");
  assert.deepEqual((await ask("/problems?app=nowhere")).body.error, "app_not_found");
});

test("a problem is resolved, muted and reopened, once per Idempotency-Key", async () => {
  const { report, ask, list, types } = await team();
  await report("shop", "AError", { app: { version: "1.4.0" } });
  const [problem] = (await list()).problems;
  const path = `/problems/${problem?.id}`;
  const change = (body: object, headers: Record<string, string> = {}) => ask(path, { method: "PATCH", body, headers });
  assert.equal((await change({ state: "resolved", version: "1.5.0" })).body.state, "resolved");
  assert.deepEqual([await types(), await types({ state: "resolved" })], [[], ["AError"]]);
  const key = { "idempotency-key": "once" };
  const opened = await change({ state: "open" }, key);
  assert.equal(opened.body.state, "open");
  const until = new Date(clock.now().getTime() + 60_000).toISOString();
  assert.equal((await change({ state: "muted", until })).body.state, "muted");
  assert.equal((await change({ state: "open" }, key)).text, opened.text, "the stored response is returned");
  assert.equal((await ask(path)).body.state, "muted");
  clock.move(61_000);
  assert.equal((await ask(path)).body.state, "open", "the mute is over");
  for (const body of [{}, { state: "odd" }, { state: "open", version: "1" }, { state: "resolved", until }]) {
    assert.deepEqual((await change(body)).body.error, "invalid_input", JSON.stringify(body));
  }
});

/** An event without its link, which changes every second. */
const unsigned = (event: ProblemEvent | undefined) => ({ ...event, envelopeUrl: null });

test("the events of a problem are listed whole, newest first, and can be read one by one", async () => {
  const { report, ask, list } = await team();
  const ids = [await report("shop", "AError"), await report("shop", "AError", { tags: { plan: "free" } })];
  const [problem] = (await list()).problems;
  type Page = { events: ProblemEvent[]; next: string | null };
  const page = async (query = "") => (await ask(`/problems/${problem?.id}/events${query}`)).body as unknown as Page;
  const { events, next } = await page();
  assert.deepEqual([events.map(({ id }) => id), next], [ids.toReversed(), null]);
  const first = await page("?limit=1");
  const second = await page(`?limit=1&cursor=${first.next}`);
  assert.deepEqual([...first.events, ...second.events].map(unsigned), events.map(unsigned));
  assert.deepEqual(unsigned((await ask(`/events/${ids[1]}`)).body as unknown as ProblemEvent), unsigned(events[0]));
  assert.equal(events[0]?.problemId, problem?.id);
});

test("a token without the permission, or of another organisation, sees and changes nothing", async () => {
  const acme = await team();
  const eventId = await acme.report("shop", "AError");
  const [problem] = (await acme.list()).problems;
  const other = await team();
  const reader = await team(["problems:read"]);
  const powerless = await team(["tickets:read"]);
  const resolve = { method: "PATCH", body: { state: "resolved" } };
  for (const [path, code] of [
    [`/problems/${problem?.id}`, "problem_not_found"],
    [`/problems/${problem?.id}/events`, "problem_not_found"],
    [`/events/${eventId}`, "event_not_found"],
  ] as const) {
    for (const [who, asked] of [
      [other, {}] as const,
      ...(path.endsWith(`${problem?.id}`) ? [[other, resolve] as const] : []),
    ]) {
      const { status, body } = await who.ask(path, asked);
      assert.deepEqual([status, body.error], [404, code], path);
    }
    assert.equal((await powerless.ask(path)).body.error, "insufficient_scope");
  }
  assert.equal((await reader.ask(`/problems/${problem?.id}`, resolve)).body.error, "insufficient_scope");
  assert.equal((await powerless.ask("/problems")).body.error, "insufficient_scope");
  assert.deepEqual(await other.types({ state: "all", q: "AError" }), []);
  assert.equal((await acme.ask(`/problems/${problem?.id}`)).body.state, "open");
  for (const id of ["nonsense", "x".repeat(5_000)]) {
    const { status } = await acme.ask(`/problems/${id}`);
    assert.ok(status >= 400 && status < 500, `${status}`);
  }
});
