import assert from "node:assert/strict";
import { once } from "node:events";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { test } from "node:test";
import { changeTicket, createTicket, moveTicket, saveBoardView, writeComment } from "@lodge/contract/calls.generated";
import type { Session } from "@lodge/contract/dashboard/access";
import type { Card } from "@lodge/contract/dashboard/boards";
import { begin } from "../../testing/begin.ts";
import { type DashboardClient, signedIn, twoOrganisations, visitor } from "../../testing/dashboard-client.ts";
import { logIntoMemory } from "../../testing/log-into-memory.ts";
import { openConnection } from "../../testing/open-connection.ts";
import { makePatientDatabase, type Service, startService } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";

type Message = { event: string; id: string | undefined; data: Record<string, unknown> };
type Told = { card: Card | null; columns: { id: string; cardCount: number }[] };

/**
 * An open stream of a client. `next` waits for the next message with content; it is undefined once the server has ended
 * the stream.
 */
async function openStream(
  lodge: Service,
  client: DashboardClient,
  { headers = {}, after }: { headers?: Record<string, string>; after?: string | null } = {},
) {
  const cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const query = after ? `?${new URLSearchParams({ after })}` : "";
  const sent = httpRequest(`${lodge.url}/api/dashboard/events${query}`, { headers: { cookie, ...headers } });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  response.setEncoding("utf8");
  const messages = readMessages(response);
  return {
    status: response.statusCode,
    headers: response.headers,
    next: async (): Promise<Message | undefined> => (await messages.next()).value ?? undefined,
    close: () => sent.destroy(),
  };
}

async function* readMessages(response: IncomingMessage): AsyncGenerator<Message, undefined> {
  let text = "";
  for await (const chunk of response) {
    text += chunk;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const fields = Object.fromEntries(
        text
          .slice(0, end)
          .split("\n")
          .map((line) => line.split(/: (.*)/s, 2)),
      );
      text = text.slice(end + 2);
      if (fields.event && fields.event !== "alive")
        yield { event: fields.event, id: fields.id, data: JSON.parse(fields.data ?? "{}") };
    }
  }
  return undefined;
}

/** The sessions that wait for a table. The table has the same number in every copy of one database. */
const waitingFor = `select from pg_locks where not granted and relation = $1::regclass
  and database = (select oid from pg_database where datname = current_database())`;

test("a ticket filed through the ticket API of another process appears live, to its organisation only", async () => {
  await using lodge = await startService();
  const { acme, umbra } = await twoOrganisations(lodge);
  await using other = await startService(lodge.env);
  const mel = await signedIn(lodge, "mel@acme.test");
  const stream = await openStream(lodge, mel);
  assert.equal(stream.status, 200);
  assert.equal(stream.headers["content-type"], "text/event-stream; charset=utf-8");
  const foreign = await openStream(lodge, await signedIn(lodge, "eve@umbra.test"));

  const filed = await other.fileTicket(acme.tokens[0]?.secret, { title: "t" });
  const { id: ticketId, boardId, columnId } = filed.body;
  const message = await stream.next();
  const { card, columns, ...change } = message?.data ?? {};
  assert.deepEqual(change, { kind: "ticket.filed", ticketId, boardId, columnId });
  const board = (await mel("GET", `/boards/${boardId}`)).body as { columns: { cards: Card[] }[] };
  assert.deepEqual(card, board.columns[0]?.cards[0], "the event has the same card as the board");
  assert.deepEqual(columns, [{ id: columnId, cardCount: 1 }]);
  const theirs = await other.fileTicket(umbra.tokens[0]?.secret, { title: "u" });
  assert.equal((await foreign.next())?.data.ticketId, theirs.body.id, "their stream's first event");
  stream.close();
  foreign.close();
});

test("every change is announced, with the ids of what changed", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const stream = await openStream(lodge, await signedIn(lodge, "mel@acme.test"));
  const [web] = acme.projects;
  const { id: boardId, columns = [] } = web?.boards[0] ?? {};
  const [columnId, otherColumnId] = columns.map(({ id }) => id);
  const heard = async (method: string, path: string, body: unknown, ...events: object[]) => {
    const answer = await ada(method, path, body);
    assert.ok(answer.status < 300, answer.text);
    for (const event of events) {
      const { card: _card, columns: _columns, ...change } = (await stream.next())?.data ?? {};
      assert.deepEqual(change, event, `${method} ${path}`);
    }
    return answer.body;
  };
  const boardChanged = { kind: "board.changed", boardId };
  const projectsChanged = { kind: "projects.changed" };

  const filed = await ada("POST", "/tickets", { title: "t", columnId });
  const ticketId = filed.body.id;
  const at = { ticketId, boardId, columnId };
  const { card: _card, columns: _columns, ...told } = (await stream.next())?.data ?? {};
  assert.deepEqual(told, { kind: "ticket.filed", ...at });
  const path = `/tickets/${ticketId}`;
  await heard("PATCH", path, { title: "u" }, { kind: "ticket.changed", ...at });
  await heard("POST", `${path}/comments`, { text: "c" }, { kind: "ticket.commented", ...at });
  const moved = { kind: "ticket.moved", ...at, columnId: otherColumnId, fromBoardId: boardId, fromColumnId: columnId };
  await heard("POST", `${path}/move`, { columnId: otherColumnId, belowTicketId: null }, moved);
  await heard("PATCH", path, { title: "u" });
  const column = await heard("POST", "/columns", { boardId, name: "New" }, boardChanged);
  await heard("PATCH", `/columns/${column.id}`, { name: "Newer" }, boardChanged);
  await heard("DELETE", `/columns/${column.id}`, undefined, boardChanged);
  const board = await heard("POST", "/boards", { projectId: web?.id, name: "New" }, projectsChanged);
  const otherChanged = { kind: "board.changed", boardId: board.id };
  await heard("PATCH", `/boards/${board.id}`, { name: "Newer" }, projectsChanged, otherChanged);
  await heard("DELETE", `/boards/${board.id}`, undefined, projectsChanged, otherChanged);
  const project = await heard("POST", "/projects", { name: "New" }, projectsChanged);
  await heard("PATCH", `/projects/${project.id}`, { name: "Newer" }, projectsChanged);
  await heard("DELETE", `/projects/${project.id}`, undefined, projectsChanged);
  const tokensChanged = { kind: "tokens.changed" };
  const made = await heard(
    "POST",
    "/tokens",
    { name: "New", scope: "all", permissions: ["tickets:write"] },
    tokensChanged,
  );
  const tokenId = (made.token as { id: string }).id;
  await heard("PATCH", `/tokens/${tokenId}`, { name: "Newer" }, tokensChanged);
  await heard("DELETE", `/tokens/${tokenId}`, undefined, tokensChanged);
  const invited = await heard(
    "POST",
    "/invitations",
    { email: "x@example.test", role: "member" },
    { kind: "invitations.changed" },
  );
  const { id: invitationId } = invited.invitation as { id: string };
  await heard("DELETE", `/invitations/${invitationId}`, undefined, { kind: "invitations.changed" });
  await heard("PATCH", `/members/${acme.members[1]?.id}`, { role: "member" }, { kind: "members.changed" });
  stream.close();
});

test("too many changes to announce make every dashboard fetch everything", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  const streams = await Promise.all(
    ["mel@acme.test", "eve@umbra.test"].map(async (email) => openStream(lodge, await signedIn(lodge, email))),
  );
  await lodge.deps.pool.query("select pg_notify('lodge_live', $1)", [JSON.stringify({ id: "1", missed: true })]);
  for (const stream of streams) {
    assert.equal((await stream.next())?.event, "resync");
    stream.close();
  }
});

test("a replayed or refused request is not announced", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const stream = await openStream(lodge, await signedIn(lodge, "mel@acme.test"));
  const file = (body: object) => lodge.fileTicket(acme.tokens[0]?.secret, body, { "idempotency-key": "k" });
  const first = await file({ title: "t" });
  assert.equal((await stream.next())?.data.ticketId, first.body.id);
  assert.equal((await file({ title: "t" })).body.id, first.body.id);
  await lodge.fileTicket(acme.tokens[0]?.secret, { title: "t", boardId: acme.organisation.id });
  const second = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "u" });
  assert.equal((await stream.next())?.data.ticketId, second.body.id);
  stream.close();
});

test("a stream that reconnects gets the missed events, or is told to fetch everything", async () => {
  await using lodge = await startService();
  const { acme, umbra } = await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const file = async (title: string) => (await lodge.fileTicket(acme.tokens[0]?.secret, { title })).body.id;
  const stream = await openStream(lodge, mel);
  const first = await file("seen");
  const seen = await stream.next();
  assert.equal(seen?.data.ticketId, first);
  stream.close();
  const missed = [await file("missed"), await file("missed too")];
  await lodge.fileTicket(umbra.tokens[0]?.secret, { title: "not theirs" });

  await using other = await startService(lodge.env); // which does not know the position, since it was not listening
  const late = await openStream(other, mel, { headers: { "last-event-id": seen?.id ?? "" } });
  const { id: _, ...resync } = (await late.next()) ?? {};
  assert.deepEqual(resync, { event: "resync", data: { kind: "resync" } });
  const again = await openStream(lodge, mel, { headers: { "last-event-id": seen?.id ?? "" } });
  for (const ticketId of missed) assert.equal((await again.next())?.data.ticketId, ticketId);
  const next = await file("and on");
  assert.equal((await again.next())?.data.ticketId, next);
  assert.equal((await late.next())?.data.ticketId, next);
  for (const open of [late, again]) open.close();
});

test("a stream continues from where the session was read, also in another process", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  await using other = await startService(lodge.env);
  const mel = await signedIn(lodge, "mel@acme.test");
  (await openStream(other, mel)).close(); // by now it listens too
  const { livePosition } = (await mel("GET", "/session")).body as Session;
  const filed = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "between the two" });
  const stream = await openStream(other, mel, { after: livePosition });
  assert.equal((await stream.next())?.data.ticketId, filed.body.id);
  stream.close();
});

test("an announced change carries the card and the counts as they are when it is sent", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const [backlog = "", doing = ""] = acme.projects[0]?.boards[0]?.columns.map(({ id }) => id) ?? [];
  const ada = await signedIn(lodge, "ada@acme.test");
  const { id: ticketId } = await ada.call(createTicket, { body: { columnId: backlog, title: "t", priority: "high" } });
  const stream = await openStream(lodge, await signedIn(lodge, "mel@acme.test"));
  const told = async () => (await stream.next())?.data as Told | undefined;
  const params = { ticketId };

  await ada.call(changeTicket, { params, body: { title: "u", assigneeUserId: acme.members[0]?.id ?? null } });
  const changed = await told();
  assert.equal(changed?.card?.title, "u");
  assert.equal(changed?.card?.assignee?.name, "Ada Acme");
  await ada.call(writeComment, { params, body: { text: "c" } });
  assert.equal((await told())?.card?.commentCount, 1);
  await ada.call(moveTicket, { params, body: { columnId: doing, belowTicketId: null } });
  const moved = await told();
  assert.equal(moved?.card?.columnId, doing);
  assert.deepEqual(
    new Map(moved?.columns.map(({ id, cardCount }) => [id, cardCount])),
    new Map([
      [doing, 1],
      [backlog, 0],
    ]),
  );
  await lodge.deps.db.deleteFrom("tickets").where("id", "=", ticketId).execute();
  lodge.deps.announce(acme.organisation.id, { kind: "ticket.changed", ticketId, boardId: "b", columnId: doing });
  assert.deepEqual(await told().then((event) => [event?.card, event?.columns]), [null, [{ id: doing, cardCount: 0 }]]);
  stream.close();
});

test("events for one person's notifications and views go only to that person, also when catching up", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const [ada, mel] = [await signedIn(lodge, "ada@acme.test"), await signedIn(lodge, "mel@acme.test")];
  const { livePosition: after } = (await mel("GET", "/session")).body as Session;
  const streams = [await openStream(lodge, ada), await openStream(lodge, mel)];
  const params = { ticketId: `${(await lodge.fileTicket(acme.tokens[0]?.secret, { title: "t" })).body.id}` };
  const body = { text: "@Mel Acme look", mentionedUserIds: [acme.members[2]?.id ?? ""] };
  await ada.call(writeComment, { params, body });
  const boardId = acme.projects[0]?.boards[0]?.id ?? "";
  await mel.call(saveBoardView, { params: { boardId }, body: { name: "v", filter: { q: "x" } } });
  await ada.call(changeTicket, { params, body: { title: "u" } });
  streams.push(await openStream(lodge, ada, { after }), await openStream(lodge, mel, { after }));
  const told = await Promise.all(
    streams.map(async (stream) => {
      const kinds = new Set<string | undefined>();
      while (!kinds.has("ticket.changed")) kinds.add((await stream.next())?.data.kind as string);
      stream.close();
      return [kinds.has("notices.changed"), kinds.has("views.changed")];
    }),
  );
  assert.deepEqual(
    told,
    [false, true, false, true].map((isHis) => [isHis, isHis]),
  );
});

test("a stream that catches up gets all events in order, also while the last one is being sent", async () => {
  await using patient = await makePatientDatabase();
  await using lodge = await startService(patient.env, patient.overrides);
  const { acme } = await twoOrganisations(lodge);
  const [ada, mel] = [await signedIn(lodge, "ada@acme.test"), await signedIn(lodge, "mel@acme.test")];
  const { livePosition: after } = (await mel("GET", "/session")).body as Session;
  const first = await openStream(lodge, ada);
  const { body: ticket } = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "t" });
  await first.next();
  const { id: ticketId, boardId, columnId } = ticket as { id: string; boardId: string; columnId: string };
  const lock = await lodge.deps.pool.connect();
  await lock.query(begin);
  await lock.query("lock table columns"); // read to describe a ticket
  lodge.deps.announce(acme.organisation.id, { kind: "ticket.changed", ticketId, boardId, columnId });
  await until(async () => (await lock.query(waitingFor, ["columns"])).rowCount === 1);
  const second = await openStream(lodge, mel, { after });
  await lock.query("rollback");
  lock.release();
  for (const kind of ["ticket.filed", "ticket.changed"]) assert.equal((await second.next())?.event, kind);
  await ada.call(changeTicket, { params: { ticketId }, body: { priority: "high" } });
  await first.next();
  const [toldFirst, toldSecond] = [await first.next(), await second.next()];
  assert.equal((toldFirst?.data as Told | undefined)?.card?.priority, "high");
  assert.deepEqual(toldSecond, toldFirst, "both streams get the event once");
  for (const stream of [first, second]) stream.close();
});

test("a stream that catches up on many events does not make other streams fetch everything", async () => {
  await using patient = await makePatientDatabase();
  await using lodge = await startService(patient.env, patient.overrides);
  const { acme } = await twoOrganisations(lodge);
  const [ada, mel] = [await signedIn(lodge, "ada@acme.test"), await signedIn(lodge, "mel@acme.test")];
  const { livePosition: after } = (await mel("GET", "/session")).body as Session;
  const bystander = await openStream(lodge, ada);
  const announce = () => lodge.deps.announce(acme.organisation.id, { kind: "tokens.changed" });
  for (let count = 0; count < 199; count++) announce();
  for (let count = 0; count < 199; count++) await bystander.next();
  const lock = await lodge.deps.pool.connect();
  await lock.query(begin);
  await lock.query("lock table tickets"); // read to describe a ticket
  const { id } = acme.organisation; // not the id of a ticket
  lodge.deps.announce(id, { kind: "ticket.changed", ticketId: id, boardId: id, columnId: id });
  await until(async () => (await lock.query(waitingFor, ["tickets"])).rowCount === 1);
  const late = await Promise.all(Array.from({ length: 6 }, () => openStream(lodge, mel, { after })));
  await lock.query("rollback");
  lock.release();
  const kinds = [...Array.from({ length: 199 }, () => "tokens.changed"), "ticket.changed"];
  for (const stream of late) {
    for (const kind of kinds) assert.equal((await stream.next())?.event, kind);
  }
  announce();
  for (const kind of ["ticket.changed", "tokens.changed"]) assert.equal((await bystander.next())?.event, kind);
  for (const stream of late) assert.equal((await stream.next())?.event, "tokens.changed");
  for (const stream of [bystander, ...late]) stream.close();
});

test("an event is smaller than 2 kB, however long the title", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const stream = await openStream(lodge, await signedIn(lodge, "mel@acme.test"));
  await lodge.fileTicket(acme.tokens[0]?.secret, { title: "\u{1f6a8}".repeat(200), priority: "high" });
  const message = await stream.next();
  assert.ok(Buffer.byteLength(JSON.stringify(message)) < 2_000);
  stream.close();
});

test("after the database connection was lost, every stream is told to fetch everything", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const stream = await openStream(lodge, await signedIn(lodge, "mel@acme.test"));
  const killed = await lodge.deps.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'lodged live' and datname = current_database()",
  );
  assert.equal(killed.rowCount, 1);
  assert.equal((await stream.next())?.event, "resync");
  const filed = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "t" });
  assert.equal((await stream.next())?.data.ticketId, filed.body.id);
  stream.close();
});

test("a stream ends if its member is removed, or its session signs out or switches", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const ada = await signedIn(lodge, "ada@acme.test");
  const mel = await signedIn(lodge, "mel@acme.test");
  const melsStream = await openStream(lodge, mel);
  assert.equal((await ada("DELETE", `/members/${acme.members[2]?.id}`)).status, 204);
  assert.equal(await melsStream.next(), undefined, "the stream ends before it sends anything more");
  assert.equal((await openStream(lodge, mel)).status, 403);

  const switched = await openStream(lodge, ada);
  await ada("PATCH", "/session", { organisationId: acme.organisation.id });
  assert.equal(await switched.next(), undefined);
  const signedOut = await openStream(lodge, ada);
  await ada("DELETE", "/session");
  assert.equal(await signedOut.next(), undefined);
});

test("a session has at most eight streams, and requests without a session get none", async () => {
  await using lodge = await startService();
  await twoOrganisations(lodge);
  assert.equal((await openStream(lodge, visitor(lodge))).status, 401);
  const ada = await signedIn(lodge, "ada@acme.test");
  const streams = await Promise.all(Array.from({ length: 8 }, () => openStream(lodge, ada)));
  assert.ok(streams.every(({ status }) => status === 200));
  const refused = await ada("GET", "/events");
  assert.equal(refused.status, 429);
  assert.equal(refused.body.error, "too_many_streams");
  for (const stream of streams) stream.close();
});

test("clients that disconnect before or during a response are not logged as errors", async () => {
  const { log, lines } = logIntoMemory();
  await using patient = await makePatientDatabase();
  await using lodge = await startService(patient.env, { ...patient.overrides, log });
  await twoOrganisations(lodge);
  const mel = await signedIn(lodge, "mel@acme.test");
  const cookie = [...mel.cookies].map((pair) => pair.join("=")).join("; ");
  const head = `GET /api/dashboard/events HTTP/1.1\r\nHost: lodge.test\r\nCookie: ${cookie}\r\n\r\n`;
  const isOfStream = ({ route }: Record<string, unknown>) => route === "/api/dashboard/events";
  const left = async (count: number) =>
    until(() => lines().filter((line) => line.msg === "answered" && isOfStream(line)).length === count);

  const reading = await openStream(lodge, mel);
  reading.close();
  await left(1);
  const client = await lodge.deps.pool.connect();
  try {
    await client.query(begin);
    await client.query("lock table sessions in access exclusive mode");
    const connections = await Promise.all(Array.from({ length: 3 }, () => openConnection(lodge.url)));
    for (const connection of connections) await connection.send(head);
    await untilWaiting(lodge.deps.pool, connections.length);
    for (const connection of connections) connection.reset();
    await left(1 + connections.length);
    await client.query("rollback");
  } finally {
    client.release();
  }
  const read = await openStream(lodge, mel); // answered after the clients that disconnected
  read.close();
  await left(5);
  assert.deepEqual(
    lines().filter(({ level }) => level === "error" || level === "warn"),
    [],
  );
});

test("a stopping server ends its streams instead of waiting for them", async () => {
  let ended: ReturnType<Awaited<ReturnType<typeof openStream>>["next"]>;
  {
    await using lodge = await startService();
    await twoOrganisations(lodge);
    const stream = await openStream(lodge, await signedIn(lodge, "mel@acme.test"));
    ended = stream.next();
  }
  assert.equal(await ended, undefined);
});
