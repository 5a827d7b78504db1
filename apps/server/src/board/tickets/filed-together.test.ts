import assert from "node:assert/strict";
import { test } from "node:test";
import type { World } from "@lodge/contract/world";
import { startService } from "../../testing/start-service.ts";

// Requests that arrive at the same time share a statement. None of them may be affected by the others.

const world: World = {
  organisation: { name: "Acme", slug: "acme", credits: 1 },
  projects: [
    { name: "Web", slug: "web", boards: [{ name: "Inbox", columns: ["Backlog", "Doing"] }] },
    { name: "Mobile", slug: "mobile", boards: [{ name: "Inbox", columns: ["Backlog"] }] },
  ],
  tokens: [
    { name: "Web", scope: ["web"], permissions: ["tickets:write"] },
    { name: "Both", scope: "all", permissions: ["tickets:write"] },
    { name: "None", scope: [], permissions: ["tickets:write"] },
    { name: "Reader", scope: "all", permissions: [] },
  ],
};

test("each of many requests at the same time gets its own answer", async () => {
  await using lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "1000" });
  const { organisation, projects, tokens } = await lodge.apply(world);
  const [web, both, none, reader] = tokens.map((token) => token.secret);
  const doing = projects[0]?.boards[0]?.columns[1]?.id;
  const mobile = projects[1]?.id;
  const answers = await Promise.all(
    Array.from({ length: 20 }, async (_, index) => [
      await lodge.fileTicket(web, { title: `web ${index}`, columnId: doing }, { "idempotency-key": `key ${index}` }),
      await lodge.fileTicket(both, { title: `mobile ${index}`, projectId: mobile }),
      await lodge.fileTicket(both, { title: "t" }),
      await lodge.fileTicket(both, { title: "t", projectId: mobile, columnId: doing }),
      await lodge.fileTicket(none, { title: "t" }),
      await lodge.fileTicket(reader, { title: "t" }),
      await lodge.fileTicket("ldg_unknown", { title: "t" }),
      await lodge.fileTicket(web, { title: `agent ${index}`, assigneeUserId: organisation.agentUserId }),
    ]),
  );
  for (const [index, [inWeb, inMobile, ...others]] of answers.entries()) {
    assert.equal(inWeb?.body.title, `web ${index}`);
    assert.equal(inWeb?.body.columnId, doing);
    assert.equal(inMobile?.body.title, `mobile ${index}`);
    assert.equal(inMobile?.body.projectId, mobile);
    assert.deepEqual(
      others.map(({ status, body }) => body.error ?? status),
      ["project_required", "column_not_found", "project_not_found", "insufficient_scope", "invalid_api_token", 201],
    );
  }
  const runs = await lodge.deps.db.selectFrom("agent_runs").select("state").execute();
  assert.equal(runs.length, 20);
  const tickets = await lodge.deps.db.selectFrom("tickets").select(["id", "title"]).execute();
  const activities = await lodge.deps.db.selectFrom("ticket_activities").select("ticket_id").execute();
  assert.equal(tickets.length, 60);
  assert.deepEqual(new Set(activities.map((activity) => activity.ticket_id)), new Set(tickets.map(({ id }) => id)));
});

test("concurrent requests with one key create one ticket; concurrent requests with other keys create their own", async () => {
  await using lodge = await startService();
  const { tokens } = await lodge.apply(world);
  const answers = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      lodge.fileTicket(tokens[0]?.secret, { title: "t" }, { "idempotency-key": `key ${index % 5}` }),
    ),
  );
  assert.ok(answers.every(({ status }) => status === 201));
  for (const [index, { text }] of answers.entries()) assert.equal(text, answers[index % 5]?.text);
  assert.equal(new Set(answers.map(({ body }) => body.id)).size, 5);
  assert.equal((await lodge.deps.db.selectFrom("tickets").select("id").execute()).length, 5);
});

test("a request that fails in the database does not fail the others in its batch", async () => {
  await using lodge = await startService();
  const { tokens } = await lodge.apply(world);
  await lodge.deps.pool.query("alter table tickets add check (title <> 'poison')");
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      lodge.fileTicket(tokens[0]?.secret, { title: index === 10 ? "poison" : "t" }),
    ),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map((_, index) => (index === 10 ? 500 : 201)),
  );
  assert.equal((await lodge.deps.db.selectFrom("tickets").select("id").execute()).length, 19);
});

test("concurrent requests are each counted against the rate limit", async () => {
  await using lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "7" });
  const { tokens } = await lodge.apply(world);
  const count = async (secret: string | null | undefined) => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => lodge.fileTicket(secret, { title: "t" })));
    return answers.filter(({ status }) => status !== 429).length;
  };
  assert.deepEqual(await Promise.all([count(tokens[0]?.secret), count(tokens[1]?.secret)]), [7, 7]);
});
