import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { changeTicket, searchCards, viewInbox } from "@lodge/contract/calls.generated";
import type { FoundCards } from "@lodge/contract/dashboard/search";
import { indexAllTexts } from "../../board/tickets/index-texts.ts";
import { numberAllTickets } from "../../board/tickets/number-tickets.ts";
import { readEvents } from "../../inbox/problems/read-events.ts";
import { begin } from "../../testing/begin.ts";
import { signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { makePatientDatabase, startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { until } from "../../testing/until.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";

test("cards of every board are found by title and description, and none of other organisations", async () => {
  await using patient = await makePatientDatabase();
  await using lodge = await startService(patient.env, patient.overrides);
  const { acme, umbra } = await twoOrganisations(lodge);
  const filler = "lorem ipsum ".repeat(300);
  const ada = await signedIn(lodge, "ada@acme.test");
  const [web, mobile] = acme.projects;
  const token = acme.tokens[0]?.secret;
  await ada("PATCH", `/tokens/${acme.tokens[0]?.id}`, { scope: "all" });
  for (const [projectId, title, description] of [
    [web?.id, "Needle in the title", "hay"],
    [mobile?.id, "In the long text", `${filler}the NEEDLE${filler}`],
    [web?.id, "In the short text", "a needle in the hay"],
    [web?.id, "100%_sure", ""],
    [web?.id, "Nothing", filler],
  ]) {
    const { status, text } = await lodge.fileTicket(token, { projectId, title, description });
    assert.equal(status, 201, text);
  }
  await lodge.fileTicket(umbra.tokens[0]?.secret, { title: "needle of Umbra" });
  const mel = await signedIn(lodge, "mel@acme.test");
  const search = async (text: string) => {
    const { cards } = await mel.call(searchCards, { query: { text } });
    return cards.map(({ title }) => title);
  };
  const findsAll = async () => {
    assert.deepEqual(await search("nEEdle"), ["Needle in the title", "In the short text", "In the long text"]);
    assert.deepEqual(await search("%_s"), ["100%_sure"]);
    assert.deepEqual(await search("n_edle"), []);
  };
  await findsAll();
  // Enough that cards behind the newest ones are found through their index.
  await lodge.deps.pool.query(
    `insert into tickets (organisation_id, column_id, position, title, author_name, id)
    select $1, $2, 'f' || lpad(n::text, 5, '0'), 'straw', 'a test', uuidv7(n * interval '1 ms')
    from generate_series(1, 2500) n`,
    [acme.organisation.id, web?.boards[0]?.columns[0]?.id],
  );
  assert.deepEqual(await search("the short"), [], "new texts are not indexed until the worker runs");
  await indexAllTexts(lodge.deps);
  await indexAllTexts(lodge.deps);
  await findsAll();
  const [needle] = (await mel.call(searchCards, { query: { text: "in the title" } })).cards;
  await mel.call(changeTicket, { params: { ticketId: needle?.id ?? "" }, body: { title: "Pin in the title" } });
  assert.deepEqual(await search("needle"), ["In the short text", "In the long text"]);
  assert.deepEqual(await search("pin in"), ["Pin in the title"]);
  await numberAllTickets(lodge.deps);
  assert.deepEqual((await search("web-2")).slice(0, 1), ["In the short text"]);
  assert.deepEqual((await search("MOBILE-1")).slice(0, 1), ["In the long text"]);
  assert.deepEqual(await search("umbra-1"), []);
  const [found] = (await mel.call(searchCards, { query: { text: "long text" } })).cards;
  assert.deepEqual([found?.project.name, found?.board.name, found?.column.name], ["Mobile", "Inbox", "Backlog"]);
  assert.equal((await mel("GET", "/search?text=")).status, 400);
  assert.equal((await visitor(lodge)("GET", "/search?text=needle")).status, 401);
  // One search takes two of its organisation's slots: two slots run at once and 16 wait.
  const client = await lodge.deps.pool.connect();
  try {
    await client.query(begin);
    await client.query("lock table tickets in access exclusive mode");
    const searches = Array.from({ length: 12 }, () => mel("GET", "/search?text=needle"));
    let refused = 0; // two or three: searching reports waits for no table, so it may end before the last search
    for (const search of searches) void search.then(({ status }) => status === 429 && refused++);
    await until(() => refused >= 2);
    await untilWaiting(lodge.deps.pool, 2);
    await client.query("rollback");
    const found = (await Promise.all(searches)).filter(({ status }) => status === 200);
    assert.deepEqual(
      found.map(({ body }) => (body as FoundCards).cards.length),
      Array(12 - refused).fill(2),
    );
  } finally {
    client.release();
  }
});

test("problems are found by the texts of their reports, in the organisation's apps only", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const app = { name: "iOS", slug: "ios", keys: ["default"] };
  const [acme, umbra] = await Promise.all(
    ["Acme", "Umbra"].map((name) => lodge.apply({ organisation: { name, slug: name.toLowerCase() }, apps: [app] })),
  );
  const keyOf = (world = acme) => world?.apps[0]?.keys[0]?.key ?? "";
  const error = { type: "TypeError", message: "basket is undefined" };
  await submitReport(lodge.url, keyOf(acme), { reportId: "1", title: "Checkout fails", error });
  await submitReport(lodge.url, keyOf(umbra), { reportId: "1", title: "Checkout of Umbra", error });
  await readEvents(lodge.deps);
  const mel = await signedIn(lodge, "mel@acme.test");
  const search = async (text: string) => (await mel.call(searchCards, { query: { text } })).problems;
  assert.deepEqual(
    (await search("BASKET is")).map(({ app }) => app),
    [{ id: acme?.apps[0]?.id, name: "iOS" }],
  );
  assert.deepEqual(await search("ba"), []);
  assert.deepEqual(await search("nowhere"), []);
});

test("reports without a problem are found by their text, and any report by its reportId", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const app = { name: "iOS", slug: "ios", keys: ["default"] };
  const [acme, umbra] = await Promise.all(
    ["Acme", "Umbra"].map((name) => lodge.apply({ organisation: { name, slug: name.toLowerCase() }, apps: [app] })),
  );
  const keyOf = (world = acme) => world?.apps[0]?.keys[0]?.key ?? "";
  const submit = (reportId: string, fields: object, key = keyOf()) =>
    submitReport(lodge.url, key, { reportId, kind: "feedback", ...fields });
  await submit("f-1", { title: "Dark mode, please" });
  const { eventId: latest } = await submit("f-2", { title: "Thanks", message: "for the DARK MODE" });
  const { eventId: crash } = await submit("c-1", {
    kind: "crash",
    error: { type: "TypeError", message: "dark mode is undefined" },
  });
  await submit("f-2", { title: "Dark mode of Umbra" }, keyOf(umbra));
  await readEvents(lodge.deps);
  const mel = await signedIn(lodge, "mel@acme.test");
  const search = async (text: string) => (await mel.call(searchCards, { query: { text } })).reports;
  assert.deepEqual(
    (await search("dark mode")).map(({ title }) => title),
    ["Thanks", "Dark mode, please"],
  );
  assert.deepEqual(await search("f-2"), [
    { id: latest, kind: "feedback", title: "Thanks", app: { id: acme?.apps[0]?.id, name: "iOS" } },
  ]);
  assert.deepEqual(
    (await search("c-1")).map(({ id }) => id),
    [crash],
  );
  assert.deepEqual(await search("da"), []);
});

test("a user's reports are found by id or e-mail address, in the organisation's apps only", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const app = { name: "iOS", slug: "ios", keys: ["default"] };
  const worlds = await Promise.all(
    ["Acme", "Umbra"].map((name) => lodge.apply({ organisation: { name, slug: name.toLowerCase() }, apps: [app] })),
  );
  const user = { id: "u-7", email: "grace@example.com" };
  for (const { apps, organisation } of worlds) {
    const submit = (fields: object) =>
      submitReport(lodge.url, apps[0]?.keys[0]?.key ?? "", { reportId: randomUUID(), user, ...fields });
    await submit({ error: { type: "TypeError", message: organisation.slug } });
    await submit({ kind: "feedback", title: organisation.slug });
  }
  await readEvents(lodge.deps);
  const mel = await signedIn(lodge, "mel@acme.test");
  for (const text of ["u-7", "Grace@example.com"]) {
    const { problems, reports } = await mel.call(searchCards, { query: { text } });
    assert.deepEqual(
      [...problems, ...reports].map(({ title }) => title),
      ["TypeError: acme", "acme"],
      text,
    );
  }
});

test("if very many reports match, the newest are found", async () => {
  await using lodge = await startService({ LODGE_ROLES: "api,ingest,dashboard" }); // only this test reads reports
  await twoOrganisations(lodge);
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: ["Shop", "Till"].map((name) => ({ name, slug: name.toLowerCase(), keys: ["default"] })),
  });
  for (const [at, app] of apps.entries()) {
    await lodge.deps.pool.query(
      `with made as (
        insert into events (app_id, id, report_id, sdk_key_id, envelope, received_at)
        select $1, uuidv7((2 * n + $3 - 6000) * interval '1 second'), n::text, $2, convert_to(json_build_object(
          'kind', case when n % 2 = 0 then 'crash' else 'feedback' end, 'title', 'Timeout ' || 2 * n + $3,
          'error', case when n % 2 = 0 then json_build_object('type', 'E' || translate(n::text, '0123456789', 'abcdefghij'),
            'message', 'a timeout') end)::text, 'UTF8'), now() + (2 * n + $3 - 6000) * interval '1 second'
        from generate_series(0, 2399) n returning app_id, id
      ) insert into unread_events (app_id, event_id) select app_id, id from made`,
      [app.id, app.keys[0]?.id, at],
    );
  }
  while ((await readEvents(lodge.deps)).count > 0);
  const mel = await signedIn(lodge, "mel@acme.test");
  const { problems, reports } = await mel.call(searchCards, { query: { text: "timeout" } });
  const numbersOf = (found: { title: string }[]) => found.map(({ title }) => Number(title.split(" ")[1]));
  assert.deepEqual(numbersOf(reports), [4799, 4798, 4795, 4794, 4791]);
  assert.deepEqual(numbersOf(problems), [4797, 4796, 4793, 4792, 4789]);
});

test("a rare word is found behind thousands of newer reports, in short and long texts and in any script", async () => {
  await using lodge = await startService({ LODGE_ROLES: "api,ingest,dashboard" }); // only this test reads reports
  await twoOrganisations(lodge);
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  });
  const [app] = apps;
  const tellMuch = Array.from({ length: 100 }, (_, n) => `much${1_000_000 + n}`).join(" ");
  const rare = ["order KX81Q702 is late", `${tellMuch} and kx81q702-b`, "die Überweisung KÜNDIGUNG"];
  const straws = Array.from({ length: 2_200 }, (_, n) => `straw ${n}`);
  await lodge.deps.pool.query(
    `with made as (
      insert into events (app_id, id, report_id, sdk_key_id, envelope, received_at)
      select $1, uuidv7(n * interval '1 second' - interval '1 hour'), n::text, $2,
        convert_to(json_build_object('kind', 'feedback', 'title', 'Said', 'message', message)::text, 'UTF8'),
        now() + n * interval '1 second' - interval '1 hour'
      from unnest($3::text[]) with ordinality as said (message, n) returning app_id, id
    ) insert into unread_events (app_id, event_id) select app_id, id from made`,
    [app?.id, app?.keys[0]?.id, [...rare, ...straws]],
  );
  while ((await readEvents(lodge.deps)).count > 0);
  const mel = await signedIn(lodge, "mel@acme.test");
  const found = async (text: string) => {
    const { reports } = await mel.call(searchCards, { query: { text } });
    const { entries } = await mel.call(viewInbox, { params: { appId: app?.id ?? "" }, query: { text } });
    assert.deepEqual(
      entries.map((entry) => entry.type === "report" && entry.event.id),
      reports.map(({ id }) => id),
      text,
    );
    return reports.length;
  };
  assert.equal(await found("Kx81q702"), 2);
  assert.equal(await found("81Q702"), 2);
  assert.equal(await found("kx81q702-B"), 1);
  assert.equal(await found("kx81q703"), 0);
  assert.equal(await found("much1000042"), 1);
  assert.equal(await found("überweisung kÜNDIGUNG"), 1);
  assert.equal(await found("straw 2100"), 1);
});
