import assert from "node:assert/strict";
import { test } from "node:test";
import { begin } from "../../testing/begin.ts";
import { signedIn, twoOrganisations } from "../../testing/dashboard-client.ts";
import { makePatientDatabase, startService } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";

type Page = { cards: { title: string }[]; cardCount: number; nextCursor: string | null };

test("search finds short and long texts in any letter case, and treats SQL wildcards as plain text", async () => {
  await using lodge = await startService();
  const { acme, umbra } = await twoOrganisations(lodge);
  const [column] = acme.projects[0]?.boards[0]?.columns ?? [];
  const project = acme.projects[0]?.id;
  const filler = "lorem ipsum ".repeat(300);
  const cards = {
    "Grün ist 100%_sicher": "",
    short: "a Needle in the hay",
    long: `${filler}the NEEDLE${filler}`,
    "needle in the title": `${filler}needle`,
    plain: filler,
  };
  for (const [title, description] of Object.entries(cards)) {
    await lodge.fileTicket(acme.tokens[0]?.secret, { projectId: project, columnId: column?.id, title, description });
  }
  await lodge.fileTicket(umbra.tokens[0]?.secret, { title: "needle" });
  const mel = await signedIn(lodge, "mel@acme.test");
  const search = async (text: string, more = "") => {
    const { body } = await mel("GET", `/columns/${column?.id}/cards?text=${encodeURIComponent(text)}${more}`);
    const { cards, cardCount } = body as Page;
    assert.equal(cards.length, cardCount);
    return cards.map(({ title }) => title);
  };
  assert.deepEqual(await search("nEEdle"), ["needle in the title", "long", "short"]);
  assert.deepEqual(await search("needle", "&priority=high"), []);
  assert.deepEqual(await search("GRÜN IST"), ["Grün ist 100%_sicher"]);
  assert.deepEqual(await search("%_s"), ["Grün ist 100%_sicher"]);
  for (const none of ["\\", "n_edle", "need%hay", "100__"]) assert.deepEqual(await search(none), [], none);

  await Promise.all(
    Array.from({ length: 60 }, (_, n) =>
      lodge.deps.db
        .insertInto("tickets")
        .columns(["organisation_id", "column_id", "position", "title", "description", "author_name"])
        .values({
          organisation_id: acme.organisation.id,
          column_id: column?.id ?? "",
          position: `f${n.toString(16).padStart(4, "0")}`,
          title: `page ${n}`,
          description: n % 2 ? filler : "",
          author_name: "a test",
        })
        .execute(),
    ),
  );
  const path = `/columns/${column?.id}/cards?text=page`;
  const first = (await mel("GET", path)).body as Page;
  const second = (await mel("GET", `${path}&cursor=${first.nextCursor}`)).body as Page;
  assert.deepEqual([first.cards.length, first.cardCount, second.cards.length, second.cardCount], [50, 60, 10, 60]);
  assert.equal(second.nextCursor, null);
  assert.equal(new Set([...first.cards, ...second.cards].map(({ title }) => title)).size, 60);
});

test("an organisation runs two searches at a time with a bounded queue, and does not delay others", async () => {
  await using patient = await makePatientDatabase();
  await using lodge = await startService(patient.env, patient.overrides);
  const { acme, umbra } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const eve = await signedIn(lodge, "eve@umbra.test");
  const board = acme.projects[0]?.boards[0]?.id;
  const client = await lodge.deps.pool.connect();
  try {
    // Every read of a card waits until this transaction ends.
    await client.query(begin);
    await client.query("lock table tickets in access exclusive mode");
    const searches = Array.from({ length: 60 }, () => mel("GET", `/boards/${board}?text=needle`));
    let answered = 0;
    for (const search of searches) void search.then(() => answered++);
    const refused = await Promise.race([
      Promise.all(searches).then(() => undefined),
      new Promise<Awaited<(typeof searches)[0]>>((resolve) => {
        for (const search of searches) void search.then((answer) => answer.status === 429 && resolve(answer));
      }),
    ]);
    assert.equal(refused?.body.error, "rate_limit_exceeded");
    assert.equal(refused?.headers.get("retry-after"), "1");
    await until(() => answered === 42); // every search that was queued is answered
    assert.equal((await eve("GET", "/projects")).status, 200, "connections remain for other organisations");
    await untilWaiting(lodge.deps.pool, 2);
    const other = eve("GET", `/boards/${umbra.projects[0]?.boards[0]?.id}?text=needle`);
    await client.query("rollback");
    assert.equal((await other).status, 200);
    const statuses = (await Promise.all(searches)).map(({ status }) => status);
    assert.deepEqual(
      [200, 429].map((status) => statuses.filter((given) => given === status).length),
      [18, 42],
    );
  } finally {
    client.release();
  }
});
