import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { listSessions, startReplay } from "@lodge/contract/calls.generated";
import { operations } from "@lodge/contract/operations";
import { readEvents } from "../../inbox/problems/read-events.ts";
import { signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { type Service, startService } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";

/** A valid query for each route that needs one. */
const queries: Record<string, string> = {
  attachTicketFile: "?filename=a.log",
  importCards: "?filename=a.csv",
  listNumberedCards: "?numbers=WEB-1",
};

/** Every operation of the dashboard's API: its path without /api/dashboard, and the query that it needs. */
const routes = operations
  .map(({ operation }) => operation)
  .filter(({ door }) => door === "dashboard")
  .map(({ id, method, path, role }) => ({
    method,
    path: path.slice("/api/dashboard".length) + (queries[id] ?? ""),
    operationId: id,
    open: role === "everybody",
    forAdmins: role === "admin" || role === "owner",
  }));

/** A valid body for each route that takes one. */
const bodies: Record<string, (ids: Record<string, string>) => object> = {
  changeProblem: () => ({ state: "resolved" }),
  assignProblem: () => ({ userId: null }),
  mergeProblems: () => ({ problemIds: [randomUUID()] }),
  eraseReports: () => ({ by: "email", value: "a@b.test" }),
  splitProblem: () => ({ hashes: [randomUUID()] }),
  makeProblemCard: ({ columnId }) => ({ columnId }),
  makeEventCard: ({ columnId }) => ({ columnId }),
  answerThread: () => ({ text: "x" }),
  markThreadRead: () => ({ number: 1 }),
  switchOrganisation: ({ organisationId }) => ({ organisationId }),
  changeMember: () => ({ role: "member" }),
  invite: () => ({ email: "new@example.test", role: "member" }),
  createToken: ({ projectId }) => ({ name: "New", scope: [projectId], permissions: ["tickets:write"] }),
  changeToken: () => ({ name: "New" }),
  createProject: () => ({ name: "New" }),
  changeProject: () => ({ name: "New" }),
  createBoard: ({ projectId }) => ({ projectId, name: "New" }),
  changeBoard: () => ({ name: "New" }),
  createColumn: ({ boardId }) => ({ boardId, name: "New" }),
  changeColumn: () => ({ name: "New" }),
  createTicket: ({ columnId }) => ({ title: "New", columnId }),
  changeTicket: () => ({ title: "New" }),
  changeTickets: ({ ticketId }) => ({ changes: [{ ticketId, archived: true }] }),
  deleteTickets: ({ ticketId }) => ({ ticketIds: [ticketId] }),
  restoreTickets: ({ ticketId }) => ({ ticketIds: [ticketId] }),
  moveTicket: ({ columnId }) => ({ columnId, belowTicketId: null }),
  changeBoardView: () => ({ name: "New" }),
  saveBoardView: () => ({ name: "New", filter: { q: "x" } }),
  writeComment: () => ({ text: "New" }),
  relateTickets: ({ ticketId }) => ({ kind: "blocks", otherId: ticketId }),
  makeTaskCard: () => ({ line: 0, task: "New" }),
  changeFollowing: () => ({ state: "watching" }),
  setFavourite: () => ({ favourite: true }),
  readNotices: () => ({}),
  changeNoticeChoices: () => ({ mail: [] }),
  changeProfile: () => ({ name: "New" }),
  changePassword: () => ({ currentPassword: "x", password: "long enough" }),
  createOrganisation: () => ({ name: "New" }),
  changeComment: () => ({ text: "New" }),
  addCredits: () => ({ amount: 1 }),
  createSubscriber: () => ({ kind: "webhook", url: "https://hooks.example.test/new" }),
  changeSubscriber: () => ({ enabled: false }),
  startReplay: () => ({ from: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z" }),
  testSubscriber: () => ({ kind: "webhook", url: "https://hooks.example.test/new" }),
  createApp: () => ({ name: "New" }),
  changeApp: () => ({ name: "New" }),
  createKey: () => ({ name: "New" }),
  rotateKey: () => ({ overlapDays: 1 }),
  changePlan: () => ({ plan: "team" }),
  changeOrganisation: () => ({ name: "New" }),
  bindRepository: () => ({ name: "New", url: "https://git.example.test/new.git" }),
  strikeOutMonth: () => ({ month: "2026-01", note: "Invented" }),
  beginIdentityLink: () => ({ password: "x" }),
  finishIdentityLink: () => ({ answer: "?code=x&state=x" }),
  beginPasskey: () => ({ password: "x" }),
  addPasskey: () => ({
    name: "New",
    credential: {
      id: "x",
      rawId: "x",
      type: "public-key",
      response: { clientDataJSON: "x" },
      clientExtensionResults: {},
    },
  }),
  changePasskey: () => ({ name: "New" }),
  removePasskey: () => ({ password: "x" }),
  beginTotp: () => ({ password: "x" }),
  confirmTotp: () => ({ code: "000000" }),
  renewRecoveryCodes: () => ({ password: "x" }),
  removeOwnSecondFactor: () => ({ password: "x" }),
  setIdentityProvider: () => ({
    issuer: "https://id.example.test",
    clientId: "lodge",
    domains: ["example.test"],
    roleClaim: "roles",
    roles: { owner: [], admin: [], member: [] },
    defaultRole: null,
    isRequired: false,
  }),
  changeSignInRules: () => ({ requiresSecondFactor: false }),
};
const withForeignIdInBody = [
  "switchOrganisation",
  "createToken",
  "createBoard",
  "createColumn",
  "createTicket",
  "changeTickets",
  "deleteTickets",
  "restoreTickets",
];

const fill = (path: string, ids: Record<string, string>) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);

test("every route that is not public requires a session", async () => {
  await using lodge = await startService();
  assert.ok(routes.length > 30, "the contract lists the operations");
  assert.deepEqual(
    routes
      .filter(({ open }) => open)
      .map(({ operationId }) => operationId)
      .sort(),
    [
      "acceptInvitation",
      "beginPasskeySignIn",
      "beginProviderSignIn",
      "confirmSubscription",
      "finishPasskeySignIn",
      "finishProviderSignIn",
      "getInvitationLink",
      "getPasswordLink",
      "getSetup",
      "getSubscription",
      "losePassword",
      "setPassword",
      "setUp",
      "signIn",
      "signOut",
    ],
  );
  for (const { method, path, operationId, open } of routes) {
    if (open) continue;
    const answer = await visitor(lodge)(method, fill(path, {}), bodies[operationId]?.({}));
    assert.equal(answer.status, 401, operationId);
    assert.deepEqual(
      [answer.body.error, answer.body.message],
      ["not_signed_in", "You are not signed in. Sign in first."],
      operationId,
    );
  }
});

test("operations for owners and admins are refused to members, whatever they send", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const forAdmins = routes.filter((route) => route.forAdmins);
  assert.ok(forAdmins.length >= 15, "the contract says which operations are for admins");
  for (const { method, path, operationId } of forAdmins) {
    for (const body of [bodies[operationId]?.({}), bodies[operationId] && { nonsense: true }]) {
      const { status, body: refusal } = await mel(method, fill(path, {}), body);
      assert.deepEqual([status, refusal.error], [403, "forbidden"], operationId);
    }
  }
});

test("another organisation's objects get exactly the response of unknown ones", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const eve = await signedIn(lodge, "eve@umbra.test");
  const { agentUserId: assigneeUserId } = acme.organisation;
  const ticket = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "t", assigneeUserId });
  const other = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "o" });
  await ada("POST", `/tickets/${ticket.body.id}/relations`, { kind: "blocks", otherId: other.body.id });
  const invited = await ada("POST", "/invitations", { email: "new@example.test", role: "member" });
  await ada("PATCH", `/tickets/${ticket.body.id}`, { description: "d" });
  const comment = await ada("POST", `/tickets/${ticket.body.id}/comments`, { text: "c" });
  const image = await lodge.request("POST", `/api/dashboard/tickets/${ticket.body.id}/images`, {
    headers: { cookie: [...ada.cookies].map((pair) => pair.join("=")).join("; "), "content-type": "image/gif" },
    body: Buffer.from("GIF89a, and so on"),
  });
  const attached = await lodge.request("POST", `/api/dashboard/tickets/${ticket.body.id}/attachments?filename=a.log`, {
    headers: { cookie: [...ada.cookies].map((pair) => pair.join("=")).join("; ") },
    body: Buffer.from("a log"),
  });
  const view = await ada("POST", `/boards/${acme.projects[0]?.boards[0]?.id}/views`, { name: "v", filter: { q: "x" } });
  const theirs = {
    organisationId: acme.organisation.id,
    userId: acme.members[2]?.id ?? "",
    sessionId: (await ada.call(listSessions)).sessions[0]?.id ?? "",
    invitationId: (invited.body as { invitation: { id: string } }).invitation.id,
    tokenId: acme.tokens[0]?.id ?? "",
    projectId: acme.projects[0]?.id ?? "",
    boardId: acme.projects[0]?.boards[0]?.id ?? "",
    columnId: acme.projects[0]?.boards[0]?.columns[0]?.id ?? "",
    repositoryId: acme.projects[0]?.repositories[0]?.id ?? "",
    ticketId: ticket.body.id as string,
    runId: ((await ada("GET", "/runs")).body.runs as { id: string }[])[0]?.id ?? "",
    commentId: comment.body.id as string,
    viewId: view.body.id as string,
    imageId: image.body.id as string,
    attachmentId: attached.body.id as string,
    otherId: other.body.id as string,
    activityId:
      ((await ada("GET", `/tickets/${ticket.body.id}/activities`)).body.activities as { id: string }[])[1]?.id ?? "",
    ...(await reportCrash(lodge)),
  };
  const nobodys = Object.fromEntries(Object.keys(theirs).map((name) => [name, randomUUID()]));
  const malformed = Object.fromEntries(Object.keys(theirs).map((name) => [name, "not-an-id"]));
  const before = await snapshot();

  let tried = 0;
  for (const { method, path, operationId, open } of routes) {
    if (open || (!path.includes("{") && !withForeignIdInBody.includes(operationId))) continue;
    const body = bodies[operationId];
    const foreign = await eve(method, fill(path, theirs), body?.(theirs));
    const missing = await eve(method, fill(path, nobodys), body?.(nobodys));
    assert.equal(foreign.status, 404, `${operationId}: ${foreign.text}`);
    assert.equal(foreign.text, missing.text, operationId);
    if (path.includes("{")) {
      const unreadable = await eve(method, fill(path, malformed), body?.(nobodys));
      assert.equal(unreadable.text, missing.text, `${operationId} with a malformed id`);
    }
    tried++;
  }
  assert.ok(tried >= 58, `only ${tried} operations were tried`);
  assert.deepEqual(await snapshot(), before, "nothing has changed");

  async function snapshot() {
    const places = [
      "/projects",
      "/views",
      `/boards/${theirs.boardId}`,
      "/members",
      "/invitations",
      `/tickets/${theirs.ticketId}`,
      `/tickets/${theirs.ticketId}/relations`,
      `/threads/${theirs.threadId}/messages`,
      `/problems/${theirs.problemId}`,
      "/subscribers",
      `/events/${theirs.eventId}/deliveries`,
    ];
    return Promise.all(places.map(async (path) => (await ada("GET", path)).body));
  }
});

test("a body with an id of another organisation is refused like one with an unknown id", async () => {
  await using lodge = await startService();
  const { acme, umbra } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const [own] = acme.projects;
  const [foreign] = umbra.projects;
  const columnId = own?.boards[0]?.columns[0]?.id ?? "";
  const { body: ticket } = await ada("POST", "/tickets", { title: "t", columnId });
  const { body: theirs } = await (await signedIn(lodge, "eve@umbra.test"))("POST", "/tickets", {
    title: "t",
    columnId: foreign?.boards[0]?.columns[0]?.id,
  });
  const refused = async (method: string, path: string, body: object, error: string) => {
    const answer = await ada(method, path, body);
    assert.equal(answer.body.error, error, `${path} ${JSON.stringify(body)}: ${answer.text}`);
    assert.doesNotMatch(String(answer.body.message), /the token/, "people have no token");
  };
  await refused("PATCH", `/tokens/${acme.tokens[0]?.id}`, { scope: [own?.id, foreign?.id] }, "project_not_found");
  await refused("PATCH", `/tickets/${ticket.id}`, { assigneeUserId: umbra.members[0]?.id }, "not_a_member");
  await refused(
    "PATCH",
    `/tickets/${ticket.id}`,
    { agentRepositoryId: foreign?.repositories[0]?.id },
    "invalid_agent_repository",
  );
  const foreignColumn = foreign?.boards[0]?.columns[0]?.id;
  await refused(
    "POST",
    `/tickets/${ticket.id}/move`,
    { columnId: foreignColumn, belowTicketId: null },
    "column_not_found",
  );
  await refused("POST", `/tickets/${ticket.id}/move`, { columnId, belowTicketId: theirs.id }, "card_moved_away");
  await refused(
    "POST",
    `/tickets/${ticket.id}/comments`,
    { text: "@Eve Umbra", mentionedUserIds: [umbra.members[0]?.id] },
    "not_a_member",
  );
});

test("a person without an organisation is told so", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const mel = await signedIn(lodge, "mel@acme.test");
  assert.equal((await ada("DELETE", `/members/${acme.members[2]?.id}`)).status, 204);
  const refused = await mel("GET", "/projects");
  assert.equal(refused.status, 403);
  assert.equal(refused.body.error, "no_organisation");
  const session = await mel("GET", "/session");
  assert.deepEqual([session.status, session.body.organisation, session.body.organisations], [200, null, []]);
});

/** A crash of an app of Acme's: its app, its event, its problem, the thread on it, and the delivery to its subscriber. */
async function reportCrash(lodge: Service) {
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [
      {
        name: "iOS",
        slug: "ios",
        keys: ["default"],
        replies: true,
        subscribers: [{ kind: "webhook", url: "https://hooks.example.test/lodge" }],
      },
    ],
  });
  const [app] = apps;
  const error = { type: "Error", message: "x" };
  const { eventId, thread } = await submitReport(lodge.url, app?.keys[0]?.key ?? "", {
    reportId: "1",
    kind: "crash",
    error,
  });
  await readEvents(lodge.deps);
  const { id } = await lodge.deps.db.selectFrom("problems").select("id").executeTakeFirstOrThrow();
  const delivery = await lodge.deps.db
    .selectFrom("deliveries")
    .select(["id", "subscriber_id"])
    .executeTakeFirstOrThrow();
  return {
    appId: app?.id ?? "",
    keyId: app?.keys[0]?.id ?? "",
    eventId,
    problemId: id,
    threadId: thread?.id ?? "",
    deliveryId: delivery.id,
    subscriberId: delivery.subscriber_id,
    replayId: await replay(lodge, delivery.subscriber_id),
  };
}

/** A replay to a subscriber, which no worker processes. */
async function replay(lodge: Service, subscriberId: string): Promise<string> {
  const params = { subscriberId };
  const body = { from: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z" };
  return (await (await signedIn(lodge, "ada@acme.test")).call(startReplay, { params, body })).id;
}
