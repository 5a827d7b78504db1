import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { changeProblem, getEvent, getProblem, listInboxChoices, viewInbox } from "@lodge/contract/calls.generated";
import type { InboxFilter } from "@lodge/contract/dashboard/inbox";
import { signedIn } from "../../testing/dashboard-client.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { makePatientDatabase, type Service, startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { parseSearch } from "./parse-search.ts";
import { readEvent } from "./read-events.ts";

const started = new AsyncDisposableStack();
const clock = movableClock();
let lodge: Service;
before(async () => {
  const patient = started.use(await makePatientDatabase());
  lodge = started.use(await startService(patient.env, { ...patient.overrides, clock }));
});
after(() => started.disposeAsync());

async function makeApp() {
  const slug = `acme-${randomUUID()}`;
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug },
    members: [{ email: `ada@${slug}.test`, name: "Ada", role: "owner" }],
    apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  });
  const [app] = apps;
  assert.ok(app);
  const ada = await signedIn(lodge, `ada@${slug}.test`);
  const report = async (more: object) => {
    const { eventId } = await submitReport(lodge.url, app.keys[0]?.key ?? "", { reportId: randomUUID(), ...more });
    await readEvent(lodge.deps, app.id, eventId);
  };
  const search = async (text: string, more: InboxFilter = {}) => {
    const { entries } = await ada.call(viewInbox, { params: { appId: app.id }, query: { text, ...more } });
    return entries.map((entry) => (entry.type === "problem" ? entry.problem.title : entry.event.title));
  };
  return { appId: app.id, ada, report, search };
}

const crash = {
  error: {
    type: "TypeError",
    message: "x is undefined",
    stack: `TypeError: x is undefined
    at OrderService.totalOf (https://shop.example.test/src/checkout/cart.ts:12:7)
    at submit (https://shop.example.test/src/checkout/form.ts:3:1)`,
  },
  user: { id: "u-7", email: "Grace@example.com" },
  app: { version: "1.4.0", environment: "production" },
  tags: { plan: "business class" },
};
const other = {
  error: { type: "RangeError", message: "out of range" },
  app: { version: "1.3.0" },
  installId: "tablet-4",
};
const title = "TypeError: x is undefined";

test("free text finds the user, files and functions of a problem as well as its messages", async () => {
  const { report, search } = await makeApp();
  await report(crash);
  await report(other);
  for (const text of ["grace@example.com", "u-7", "cart.ts", "totalOf", "orderservice", "undefined", "TypeError"]) {
    assert.deepEqual(await search(text), [title], text);
  }
  assert.deepEqual(await search("tablet-4"), ["RangeError: out of range"]);
  assert.deepEqual(await search("grace@example.org"), []);
});

test("all terms of a search must match", async () => {
  const { report, search } = await makeApp();
  await report(crash);
  await report(other);
  await report({ kind: "feedback", title: "A wish", user: { id: "u-7" } });
  for (const terms of [
    "user:grace@example.com",
    "file:cart.ts",
    "file:checkout/cart",
    "function:totalOf",
    "function:OrderService.totalOf",
    "type:TypeError",
    "version:1.4.0 environment:production",
    'tag.plan:"business class"',
    "user:u-7 file:form.ts undefined",
    "type:TypeError is:new",
  ]) {
    assert.deepEqual(await search(terms), [title], terms);
  }
  for (const terms of [
    "file:totalOf",
    "function:cart.ts",
    "version:1.4",
    "user:u-7 type:RangeError",
    "is:back",
    "level:fatal",
  ]) {
    assert.deepEqual(await search(terms), [], terms);
  }
  assert.deepEqual((await search("user:u-7")).sort(), ["A wish", title]);
  assert.deepEqual(await search("u-7", { show: "reports" }), ["A wish"]);
});

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0";

test("inboxes filter by, count and show browsers and operating systems", async () => {
  const { appId, ada, report, search } = await makeApp();
  await report({ ...crash, device: { userAgent: firefox } });
  await report({ ...crash, device: { os: "iOS", osVersion: "17.5.1" } });
  await report(other);
  for (const terms of ['browser:"Firefox 132"', "os:Linux", 'os:"iOS 17"']) {
    assert.deepEqual(await search(terms), [title], terms);
  }
  const found = async (query: InboxFilter) => (await ada.call(viewInbox, { params: { appId }, query })).entries;
  const [entry, ...more] = await found({ browser: "Firefox 132", os: "Linux" });
  assert.ok(entry?.type === "problem" && more.length === 0);
  assert.deepEqual(await found({ browser: "Chrome 131" }), []);
  const named = (counts: { value: string; eventCount: number }[]) =>
    counts.map(({ value, eventCount }) => [value, eventCount]).sort();
  const choices = await ada.call(listInboxChoices, { params: { appId } });
  const problem = await ada.call(getProblem, { params: { problemId: entry.problem.id } });
  for (const { browsers, operatingSystems } of [choices, problem]) {
    assert.deepEqual(named(browsers), [["Firefox 132", 1]]);
    assert.deepEqual(named(operatingSystems), [
      ["Linux", 1],
      ["iOS 17", 1],
    ]);
  }
  const first = await ada.call(getEvent, { params: { eventId: problem.firstEventId } });
  assert.deepEqual([first.browser, first.os], ["Firefox 132", "Linux"]);
});

test("is:new finds problems of the last day, and is:back finds reopened problems", async () => {
  const { ada, appId, report, search } = await makeApp();
  await report(crash);
  clock.move(25 * 3_600_000);
  await report(crash);
  await report(other);
  assert.deepEqual(await search("is:new"), ["RangeError: out of range"]);
  const { entries } = await ada.call(viewInbox, { params: { appId }, query: { text: "type:TypeError" } });
  const [entry] = entries;
  assert.ok(entry?.type === "problem");
  const params = { problemId: entry.problem.id };
  await ada.call(changeProblem, { params, body: { state: "resolved", version: "1.4.0" } });
  assert.deepEqual(await search("is:back", { state: "any" }), []);
  clock.move(1_000);
  await report({ ...crash, app: { version: "1.5.0" } });
  assert.deepEqual(await search("is:back"), [title]);
  clock.move(1_000);
  await ada.call(changeProblem, { params, body: { state: "resolved", version: "1.5.0" } });
  assert.deepEqual(await search("is:back", { state: "any" }), []);
});

test("anything that is not a term is free text", () => {
  const { text, facets, users } = parseSearch('http://x.test/a  is:odd user:"Grace Hopper" version:"2 beta" rest');
  assert.deepEqual([text, facets, users], ["http://x.test/a is:odd rest", ["version:2 beta"], ["Grace Hopper"]]);
  assert.equal(parseSearch("two  spaces").text, "two  spaces");
  assert.equal(parseSearch("user:x").text, undefined);
});
