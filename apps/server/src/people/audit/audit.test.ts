import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import { createCaller } from "@lodge/contract/call";
import {
  bindRepository,
  changeOrganisation,
  createRunner,
  createToken,
  deleteBoard,
  getOrganisation,
  getSession,
  listAudit,
  listBoardSubscribers,
  listProjectSubscribers,
  listProjects,
  listTicketIds,
  revokeRunner,
  revokeToken,
  unbindRepository,
} from "@lodge/contract/calls.generated";
import { finishRun, takeRun } from "@lodge/contract/runners";
import { revokeKey } from "../../inbox/apps/revoke-key.ts";
import { password, signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { startService } from "../../testing/start-service.ts";
import { dropSecondFactor } from "../organisations/drop-second-factor.ts";
import { grantToken } from "../tokens/grant-token.ts";
import { withdrawToken } from "../tokens/withdraw-token.ts";

const stack = new AsyncDisposableStack();
after(() => stack.disposeAsync());
const lodge = stack.use(await startService());
const { acme, umbra } = await twoOrganisations(lodge);
const ada = await signedIn(lodge, "ada@acme.test");
const mel = await signedIn(lodge, "mel@acme.test");
const eve = await signedIn(lodge, "eve@umbra.test");
const [web, mobile] = acme.projects;

const latest = async () => (await ada.call(listAudit, { query: {} })).entries[0];

test("an organisation is renamed and keeps its slug", async () => {
  assert.equal((await mel("PATCH", "/organisation", { name: "Mine" })).status, 403);
  assert.equal((await ada("PATCH", "/organisation", { name: " " })).status, 400);
  const renamed = await ada.call(changeOrganisation, { body: { name: "Acme Works" } });
  assert.deepEqual([renamed.name, renamed.slug], ["Acme Works", "acme"]);
  assert.deepEqual(await mel.call(getOrganisation), renamed);
  assert.equal((await mel.call(getSession)).organisation?.name, "Acme Works");
  const entry = await latest();
  assert.deepEqual(
    [entry?.kind, entry?.who, entry?.details],
    ["organisation.renamed", "Ada Acme", { from: "Acme", to: "Acme Works" }],
  );
  assert.equal((await eve.call(getOrganisation)).name, "Umbra");
});

test("a repository is bound and unbound; tickets that named it then name none", async () => {
  const params = { projectId: mobile?.id ?? "" };
  const url = "https://git.example.test/ios.git";
  const bound = await ada.call(bindRepository, { params, body: { name: "ios", url, credentialsEnv: "IOS_TOKEN" } });
  assert.equal((await latest())?.kind, "repository.bound");
  const again = await ada("POST", `/projects/${mobile?.id}/repositories`, { name: "ios", url });
  assert.equal(again.body.error, "repository_name_taken");
  for (const wrong of [
    "ftp://x.test/a",
    "--upload-pack=x",
    "https://a:b@x.test/a.git",
    "x",
    "git@host:-x",
    "https://x.test",
    "file:///srv/a.git",
    "ext::sh -c true",
  ]) {
    const { status, body } = await ada("POST", `/projects/${mobile?.id}/repositories`, { name: "x", url: wrong });
    assert.deepEqual([status, (body.details as { path: string }[])[0]?.path], [400, "/url"], wrong);
  }
  for (const right of ["git@git.example.test:acme/ios.git", "ssh://git@git.example.test/acme/ios.git"]) {
    await ada.call(bindRepository, { params, body: { name: right.slice(0, 3), url: right } });
  }
  const { rows } = await lodge.deps.pool.query("select credentials_env from repositories where id = $1", [bound.id]);
  assert.equal(rows[0].credentials_env, "IOS_TOKEN");

  const columnId = mobile?.boards[0]?.columns[0]?.id ?? "";
  const { body: ticket } = await ada("POST", "/tickets", { title: "t", columnId });
  await ada("PATCH", `/tickets/${ticket.id}`, { agentRepositoryId: bound.id });
  await ada.call(unbindRepository, { params: { repositoryId: bound.id } });
  assert.equal((await ada("GET", `/tickets/${ticket.id}`)).body.agentRepositoryId, null);
  assert.equal((await ada("DELETE", `/repositories/${bound.id}`)).body.error, "repository_not_found");
  assert.deepEqual((await latest())?.details, { project: "Mobile", repository: "ios", url });
  assert.equal((await ada("DELETE", `/tickets/${ticket.id}`)).status < 500, true);
});

test("a repository that the agent is working on cannot be unbound", async () => {
  const repositoryId = web?.repositories[0]?.id ?? "";
  const { agentUserId: assigneeUserId } = acme.organisation;
  await lodge.fileTicket(acme.tokens[0]?.secret, { title: "t", assigneeUserId });
  const organisation = { name: "Acme", slug: "acme" };
  const { runners } = await lodge.apply({ organisation, runners: [{ name: "builder" }] });
  const headers = { authorization: `Bearer ${runners[0]?.secret}` };
  const call = createCaller({ baseUrl: lodge.url, headers });
  const { run } = await call(takeRun, { body: { takeId: randomUUID() } });
  assert.ok(run);
  assert.equal((await ada("DELETE", `/repositories/${repositoryId}`)).body.error, "repository_in_use");
  const params = { runId: run.id };
  await call(finishRun, { params, body: { fence: run.fence, outcome: "no_change" } });
  assert.equal((await ada("DELETE", `/repositories/${repositoryId}`)).status, 204);
});

test("the ids that a ticket can refer to are listed with their names", async () => {
  const { projects, members } = await mel.call(listTicketIds);
  assert.deepEqual(
    projects.map(({ id, boards }) => [id, boards[0]?.columns.map(({ name }) => name)]),
    [
      [web?.id, ["Backlog", "Doing", "Done"]],
      [mobile?.id, ["Backlog"]],
    ],
  );
  assert.ok(members.some(({ id, kind }) => id === acme.organisation.agentUserId && kind === "agent"));
  const others = JSON.stringify(await eve.call(listTicketIds));
  assert.ok(!others.includes(web?.id ?? "") && others.includes(umbra.projects[0]?.id ?? ""));
});

test("deleting a board that reports are filed onto requires confirming that their subscribers are deleted too", async () => {
  const board = { name: "Filed", columns: ["New"] };
  const applied = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    projects: [{ name: "Filing", slug: "filing", boards: [board, { ...board, name: "Other" }] }],
    apps: [
      {
        name: "Phone",
        slug: "phone",
        subscribers: [
          { kind: "board", project: "filing", board: "Filed", column: "New" },
          { kind: "board", project: "filing", board: "Other", column: "New" },
        ],
      },
    ],
  });
  const project = applied.projects[0];
  const [boardId = "", otherId = ""] = project?.boards.map(({ id }) => id) ?? [];
  const params = { boardId };
  const { subscribers } = await mel.call(listBoardSubscribers, { params });
  assert.deepEqual(
    subscribers.map(({ app, board: name, enabled }) => [app, name, enabled]),
    [["Phone", "Filed", true]],
  );
  const ofProject = await mel.call(listProjectSubscribers, { params: { projectId: project?.id ?? "" } });
  assert.equal(ofProject.subscribers.length, 2);
  assert.equal((await mel("DELETE", `/boards/${boardId}`)).body.error, "board_has_subscribers");
  assert.equal((await mel("DELETE", `/boards/${boardId}?subscribers=keep`)).status, 400);
  await mel.call(deleteBoard, { params, query: { subscribers: "delete" } });
  assert.deepEqual((await latest())?.details, { board: "Filed" });

  assert.equal((await ada("DELETE", `/projects/${project?.id}`)).body.error, "board_has_subscribers");
  const { rows } = await lodge.deps.pool.query("select board_id from subscribers");
  assert.deepEqual(rows, [{ board_id: otherId }], "no subscriber is deleted without confirmation");
  assert.equal((await ada("DELETE", `/projects/${project?.id}?subscribers=delete`)).status, 204);
  assert.equal(
    (await ada.call(listProjects)).projects.some(({ slug }) => slug === "filing"),
    false,
  );
});

test("the audit log records joining and everything that grants access", async () => {
  const { body: wanted } = await ada("POST", "/invitations", { email: "nia@example.test", role: "admin" });
  const nia = visitor(lodge);
  const link = `/invitation-links/${`${wanted.url}`.split("/").at(-1)}`;
  assert.equal((await nia("POST", link, { name: "Nia", password })).status, 200);
  const { body: unwanted } = await ada("POST", "/invitations", { email: "max@example.test", role: "member" });
  await ada("DELETE", `/invitations/${(unwanted.invitation as { id: string }).id}`);
  assert.equal((await nia("POST", `/members/${acme.members[2]?.id}/password-link`)).status, 201);
  const { runner } = await nia.call(createRunner, { body: { name: "spare" } });
  await nia.call(revokeRunner, { params: { runnerId: runner.id } });
  const { entries } = await ada.call(listAudit, { query: {} });
  assert.deepEqual(
    entries.slice(0, 7).map(({ kind, who, details }) => [kind, who, details]),
    [
      ["runner.revoked", "Nia", { runner: "spare" }],
      ["runner.created", "Nia", { runner: "spare" }],
      ["password_link.made", "Nia", { member: "Mel Acme" }],
      ["invitation.revoked", "Ada Acme", { email: "max@example.test", role: "member" }],
      ["member.invited", "Ada Acme", { email: "max@example.test", role: "member" }],
      ["member.joined", "Nia", { member: "Nia", role: "admin", by: "invitation" }],
      ["member.invited", "Ada Acme", { email: "nia@example.test", role: "admin" }],
    ],
  );
});

test("the audit log records an operator's changes of tokens, keys and second factors, once", async () => {
  const { deps } = lodge;
  const permissions = ["metrics:read"];
  const { id } = await grantToken(deps, "acme", { name: "Prometheus", permissions, projects: "all" });
  await withdrawToken(deps, id);
  await withdrawToken(deps, id);
  await lodge.apply({
    organisation: { name: "Acme Works", slug: "acme" },
    apps: [{ name: "Shop", slug: "shop", keys: ["default"] }],
  });
  const key = await deps.db.selectFrom("sdk_keys").select("id").executeTakeFirstOrThrow();
  await revokeKey(deps, key.id);
  await revokeKey(deps, key.id);
  await dropSecondFactor(deps, "mel@acme.test");
  const { entries } = await ada.call(listAudit, { query: {} });
  const member = { memberId: acme.members[2]?.id, memberName: "Mel Acme" };
  assert.deepEqual(
    entries.slice(0, 4).map(({ kind, who, details }) => [kind, who, details]),
    [
      ["second_factor.removed", "lodged second-factor remove", member],
      ["key.revoked", "lodged keys revoke", { app: "Shop", key: "default" }],
      ["token.revoked", "lodged token revoke", { token: "Prometheus" }],
      ["token.created", "lodged token create", { token: "Prometheus", permissions }],
    ],
  );
});

test("owners and admins read their own organisation's audit log, page by page", async () => {
  const scope = "all" as const;
  const { token } = await ada.call(createToken, { body: { name: "Robot", scope, permissions: ["tickets:read"] } });
  await ada.call(revokeToken, { params: { tokenId: token.id } });
  const [revoked, made] = (await ada.call(listAudit, { query: {} })).entries;
  assert.deepEqual([revoked?.kind, revoked?.details], ["token.revoked", { token: "Robot" }]);
  assert.deepEqual([made?.kind, made?.who], ["token.created", "Ada Acme"]);

  const organisationId = umbra.organisation.id;
  await lodge.deps.pool.query(
    `insert into audit_entries (organisation_id, kind, details, at)
     select $1, 'app.created', jsonb_build_object('n', n), '2026-01-01'::timestamptz + (n / 3) * interval '1 minute'
     from generate_series(1, 120) n`,
    [organisationId],
  );
  const seen: unknown[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await eve.call(listAudit, { query: cursor ? { cursor } : {} });
    seen.push(...page.entries.map(({ details }) => details.n));
    cursor = page.nextCursor;
  }
  assert.equal(seen.length, 120);
  assert.equal(new Set(seen).size, 120);
  assert.equal(seen[0], 120);
  assert.equal((await mel("GET", "/audit")).status, 403);
  assert.equal((await eve("GET", "/audit?cursor=x")).status, 400);
  assert.deepEqual((await eve.call(listAudit, { query: { cursor: randomUUID() } })).entries, []);
});
