import assert from "node:assert/strict";
import { after, test } from "node:test";
import { makeOrganisation } from "../testing/make-organisation.ts";
import { startService } from "../testing/start-service.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());

const runsOf = (organisationId: string) =>
  lodge.deps.db
    .selectFrom("agent_runs")
    .select(["ticket_id", "repository_id", "state", "held_reason"])
    .where("organisation_id", "=", organisationId)
    .execute();
const creditsOf = async (organisationId: string) =>
  (
    await lodge.deps.db
      .selectFrom("organisations")
      .select("credits")
      .where("id", "=", organisationId)
      .executeTakeFirstOrThrow()
  ).credits;

test("a ticket assigned to the agent queues a run on the repository that it names, and takes a credit", async () => {
  const acme = await makeOrganisation(lodge, { credits: 3 });
  const filed = await lodge.fileTicket(acme.tokens.mobile, {
    title: "t",
    assigneeUserId: acme.agentUserId,
    agentRepositoryId: acme.mobile.iosRepositoryId,
  });
  assert.equal(filed.status, 201);
  assert.deepEqual(await runsOf(acme.id), [
    { ticket_id: filed.body.id, repository_id: acme.mobile.iosRepositoryId, state: "queued", held_reason: null },
  ]);
  assert.equal(await creditsOf(acme.id), 2);
});

test("a run works against the project's only repository where none is named", async () => {
  const acme = await makeOrganisation(lodge);
  await lodge.fileTicket(acme.tokens.web, { title: "t", assigneeUserId: acme.agentUserId });
  assert.equal((await runsOf(acme.id))[0]?.repository_id, acme.web.repositoryId);
});

test("a run of a project with two repositories has none where none is named", async () => {
  const acme = await makeOrganisation(lodge);
  await lodge.fileTicket(acme.tokens.mobile, { title: "t", assigneeUserId: acme.agentUserId, agentRepositoryId: null });
  assert.deepEqual(
    (await runsOf(acme.id)).map(({ repository_id, state }) => [repository_id, state]),
    [[null, "queued"]],
  );
});

test("a ticket for the agent is filed without credits too; its run is held and says why", async () => {
  const acme = await makeOrganisation(lodge, { credits: 0 });
  const filed = await lodge.fileTicket(acme.tokens.web, { title: "t", assigneeUserId: acme.agentUserId });
  assert.equal(filed.status, 201);
  assert.deepEqual(await runsOf(acme.id), [
    {
      ticket_id: filed.body.id,
      repository_id: acme.web.repositoryId,
      state: "held",
      held_reason: "no_credits",
    },
  ]);
  assert.equal(await creditsOf(acme.id), 0);
});

test("of eight tickets for the agent at the same time with one credit left, one run is queued", async () => {
  const acme = await makeOrganisation(lodge, { credits: 1 });
  const answers = await Promise.all(
    Array.from({ length: 8 }, () =>
      lodge.fileTicket(acme.tokens.web, { title: "t", assigneeUserId: acme.agentUserId }),
    ),
  );
  assert.ok(answers.every(({ status }) => status === 201));
  const states = (await runsOf(acme.id)).map(({ state }) => state).sort();
  assert.deepEqual(states, [...Array(7).fill("held"), "queued"]);
  assert.equal(await creditsOf(acme.id), 0);
});

test("a ticket for a person, or for nobody, starts no run even where it names a repository", async () => {
  const acme = await makeOrganisation(lodge, { credits: 3 });
  for (const assigneeUserId of [null, acme.memberUserId]) {
    const filed = await lodge.fileTicket(acme.tokens.web, {
      title: "t",
      assigneeUserId,
      agentRepositoryId: acme.web.repositoryId,
    });
    assert.equal(filed.status, 201);
  }
  assert.deepEqual(await runsOf(acme.id), []);
  assert.equal(await creditsOf(acme.id), 3);
});

test("a ticket for the agent that is refused or replayed takes no credit", async () => {
  const acme = await makeOrganisation(lodge, { credits: 3 });
  const body = { title: "t", assigneeUserId: acme.agentUserId };
  const key = { "idempotency-key": "k" };
  const refused = await lodge.fileTicket(acme.tokens.web, { ...body, agentRepositoryId: acme.mobile.iosRepositoryId });
  assert.equal(refused.body.error, "invalid_agent_repository");
  await lodge.fileTicket(acme.tokens.web, body, key);
  await lodge.fileTicket(acme.tokens.web, body, key);
  assert.equal((await runsOf(acme.id)).length, 1);
  assert.equal(await creditsOf(acme.id), 2);
});
