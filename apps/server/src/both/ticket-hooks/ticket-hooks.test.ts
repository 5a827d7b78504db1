import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, test } from "node:test";
import {
  changeHook,
  changeTicket,
  changeTickets,
  createHook,
  deleteTicket,
  listHookDeliveries,
  listHooks,
  moveTicket,
  resendHookDeliveries,
  resendHookDelivery,
  writeComment,
} from "@lodge/contract/calls.generated";
import type { CreateHook, TicketType } from "@lodge/contract/dashboard/hooks";
import type { Ticket } from "@lodge/contract/tickets";
import { Webhook } from "standardwebhooks";
import { archiveDone } from "../../board/tickets/archive-done.ts";
import { finishTicket } from "../../board/tickets/finish-ticket.ts";
import { signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { type Service, startService, withWorker } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { eraseMessages } from "./erase-messages.ts";
import { makeMessages } from "./make-messages.ts";
import { sweepHookDeliveries } from "./sweep-hook-deliveries.ts";

const all: TicketType[] = [
  "ticket.created",
  "ticket.changed",
  "ticket.moved",
  "ticket.commented",
  "ticket.done",
  "ticket.archived",
];

type Body = {
  type: TicketType;
  timestamp: string;
  data: {
    ticket: Ticket;
    actor: { kind: string; name: string };
    changes: Record<string, { from: unknown; to: unknown }>;
    comment?: { id: string; text: string; author: { kind: string; name: string }; url: string };
  };
};

// No worker: tests read pending messages in the database.
const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());

/** An organisation with Ada, its owner, who has created a webhook. */
async function team(chosen: Partial<CreateHook> = {}, service: Service = lodge) {
  const acme = await makeOrganisation(service);
  const ada = await signedIn(service, `ada@${acme.slug}.test`);
  const body = { url: "http://127.0.0.1:9/hook", ticketTypes: all, ...chosen };
  const { hook, secret } = await ada.call(createHook, { body });
  const file = async (fields: object = {}, token = acme.tokens.web) =>
    String((await service.fileTicket(token, { title: "Red", ...fields })).body.id);
  /** The pending messages, the oldest first, each once. */
  const messages = async () => {
    await makeMessages(service.deps);
    const { rows } = await service.deps.pool.query<{ body: string }>(
      "delete from hook_deliveries where organisation_id = $1 returning body, id",
      [acme.id],
    );
    return rows.map(({ body }) => JSON.parse(body) as Body);
  };
  const told = async () => (await messages()).map(({ type, data }) => [type, data.actor, data.changes]);
  return { acme, ada, hook, secret, file, messages, told };
}

const ci = { kind: "token", name: "Web CI" };
const byAda = { kind: "person", name: "Ada" };

test("a ticket webhook contains the ticket, who changed it and what changed", async () => {
  const { acme, ada, file, messages } = await team();
  const ticketId = await file({ labels: ["ci"] });
  const [created, ...none] = await messages();
  assert.deepEqual(none, []);
  assert.deepEqual([created?.type, created?.data.actor, created?.data.changes], ["ticket.created", ci, {}]);
  const { id, title, projectId, columnId, labels } = created?.data.ticket ?? ({} as Ticket);
  assert.deepEqual(
    [id, title, projectId, columnId, labels],
    [ticketId, "Red", acme.web.id, acme.web.inbox.backlogId, ["ci"]],
  );

  const params = { ticketId };
  const assignee = { assigneeUserId: acme.memberUserId };
  await ada.call(changeTicket, {
    params,
    body: { title: "Green", priority: "high", dueAt: "2026-05-01", ...assignee },
  });
  const [changed, ...more] = await messages();
  assert.deepEqual(more, []);
  assert.deepEqual([changed?.type, changed?.data.actor], ["ticket.changed", byAda]);
  assert.deepEqual(changed?.data.changes, {
    title: { from: "Red", to: "Green" },
    priority: { from: "none", to: "high" },
    dueAt: { from: null, to: "2026-05-01" },
    assigneeUserId: { from: null, to: acme.memberUserId },
  });
  assert.equal(changed?.data.ticket.title, "Green");

  await ada.call(moveTicket, { params, body: { columnId: acme.web.later.ideasId, belowTicketId: null } });
  const [moved] = await messages();
  assert.equal(moved?.type, "ticket.moved");
  assert.deepEqual(moved?.data.changes, {
    boardId: { from: acme.web.inbox.id, to: acme.web.later.id },
    columnId: { from: acme.web.inbox.backlogId, to: acme.web.later.ideasId },
  });

  const { id: commentId } = await ada.call(writeComment, { params, body: { text: "Look at **this**." } });
  const [commented] = await messages();
  assert.deepEqual([commented?.type, commented?.data.actor, commented?.data.changes], ["ticket.commented", byAda, {}]);
  const { comment } = commented?.data ?? {};
  assert.deepEqual([comment?.id, comment?.text, comment?.author], [commentId, "Look at **this**.", byAda]);

  await ada.call(changeTicket, { params, body: { archived: true } });
  const [archived, ...after] = await messages();
  assert.deepEqual(
    [archived?.type, Object.keys(archived?.data.changes ?? {}), after],
    ["ticket.archived", ["archivedAt"], []],
  );
  assert.equal(archived?.data.changes.archivedAt?.to, archived?.data.ticket.archivedAt);
});

test("bulk changes, merges and automatic archiving send messages too, with their author", async () => {
  const { acme, ada, file, told } = await team();
  const { doingId } = acme.web.inbox;
  const ids = [await file(), await file()];
  await told();
  await lodge.deps.pool.query("update columns set is_done = true where organisation_id = $1 and id = $2", [
    acme.id,
    doingId,
  ]);
  const [one = "", other = ""] = ids;
  await ada.call(changeTickets, { body: { changes: [{ ticketId: one, columnId: doingId, priority: "low" }] } });
  const bulk = await told();
  assert.deepEqual(
    bulk.map(([type, actor, changes]) => [type, actor, Object.keys(changes as object).sort()]),
    [
      ["ticket.changed", byAda, ["priority"]],
      ["ticket.done", byAda, ["columnId", "doneAt"]],
    ],
  );
  const agent = { userId: acme.agentUserId, name: "Agent" };
  await lodge.deps.db
    .transaction()
    .execute((tx) => finishTicket(tx, { organisationId: acme.id, ticketId: other, by: agent, at: new Date() }));
  assert.deepEqual(
    (await told()).map(([type, actor]) => [type, actor]),
    [["ticket.done", { kind: "agent", name: "Agent" }]],
  );
  await lodge.deps.pool.query("update tickets set done_at = now() - interval '400 days' where id = any($1)", [ids]);
  await told();
  await archiveDone(lodge.deps);
  assert.deepEqual(
    (await told()).map(([type, actor]) => [type, actor]),
    ids.map(() => ["ticket.archived", { kind: "lodge", name: "Lodge" }]),
  );
});

test("a webhook gets only the event types and projects chosen for it, and nothing by default", async () => {
  const { acme, ada, hook, file, told } = await team({ ticketTypes: [] });
  const countNoted = async () =>
    (await lodge.deps.pool.query("select from ticket_changes where organisation_id = $1", [acme.id])).rowCount;
  await file();
  assert.equal(await countNoted(), 0, "no changes are recorded for a webhook without event types");
  const params = { hookId: hook.id };
  const chosen = { ticketTypes: ["ticket.created" as const], projectIds: [acme.mobile.id] };
  const changed = await ada.call(changeHook, { params, body: chosen });
  assert.deepEqual([changed.ticketTypes, changed.projectIds], [chosen.ticketTypes, chosen.projectIds]);
  const ticketId = await file();
  const mobileId = await file({}, acme.tokens.mobile);
  await ada.call(changeTicket, { params: { ticketId: mobileId }, body: { title: "Green" } });
  assert.deepEqual(
    (await told()).map(([type]) => type),
    ["ticket.created"],
  );
  await ada.call(changeHook, { params, body: { projectIds: null, enabled: false } });
  await ada.call(changeTicket, { params: { ticketId }, body: { title: "Blue" } });
  await file();
  assert.equal(await countNoted(), 0, "no changes are recorded for a disabled webhook");
  assert.deepEqual(await told(), []);
});

test("messages are deleted with their ticket, erased with it, and swept after their retention", async () => {
  const { acme, ada, file, messages } = await team();
  const count = async () =>
    (await lodge.deps.pool.query("select from hook_deliveries where organisation_id = $1", [acme.id])).rowCount;
  const ticketId = await file();
  await makeMessages(lodge.deps);
  assert.equal(await count(), 1);
  await ada.call(deleteTicket, { params: { ticketId } });
  assert.equal(await count(), 0);
  const other = await file();
  await makeMessages(lodge.deps);
  await lodge.deps.db.transaction().execute((tx) => eraseMessages(tx, acme.id, [other]));
  assert.equal(await count(), 0);
  assert.deepEqual(await messages(), []);
  await file();
  await makeMessages(lodge.deps);
  await lodge.deps.pool.query(
    `update hook_deliveries set state = 'delivered', settled_at = now() - interval '91 days' where organisation_id = $1`,
    [acme.id],
  );
  assert.ok((await sweepHookDeliveries(lodge.deps)) >= 1);
  assert.equal(await count(), 0);
});

test("members, other organisations and projects of other organisations are refused", async () => {
  const { acme, ada, hook } = await team();
  const stranger = await team();
  const params = { hookId: hook.id };
  await assert.rejects(stranger.ada.call(changeHook, { params, body: { enabled: false } }), { code: "hook_not_found" });
  await assert.rejects(stranger.ada.call(listHookDeliveries, { params, query: {} }), { code: "hook_not_found" });
  const from = new Date(0).toISOString();
  await assert.rejects(stranger.ada.call(resendHookDeliveries, { params, body: { state: "all", from } }), {
    code: "hook_not_found",
  });
  const unknown = { ...params, deliveryId: randomUUID() };
  await assert.rejects(ada.call(resendHookDelivery, { params: unknown }), { code: "delivery_not_found" });
  const projectIds = [stranger.acme.web.id];
  await assert.rejects(ada.call(changeHook, { params, body: { projectIds } }), { code: "project_not_found" });
  await assert.rejects(ada.call(createHook, { body: { url: "http://127.0.0.1:9/x", projectIds } }), {
    code: "project_not_found",
  });
  await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    members: [{ email: `mel@${acme.slug}.test`, name: "Mel", role: "member" }],
  });
  const mel = await signedIn(lodge, `mel@${acme.slug}.test`);
  await assert.rejects(mel.call(listHookDeliveries, { params, query: {} }), { code: "forbidden" });
  await assert.rejects(mel.call(changeHook, { params, body: { enabled: false } }), { code: "forbidden" });
});

test("deliveries are signed, retried, given up, listed with their attempts, and can be sent again with the same id", async () => {
  await using service = await startService({
    ...withWorker,
    LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1",
    LODGE_WEBHOOK_RETRY_SCHEDULE: "100ms",
  });
  let status = 500;
  await using receiver = await startReceiver((_request, response) => response.writeHead(status).end("said"));
  const { ada, hook, secret, file } = await team({ url: `${receiver.url}/hook` }, service);
  const params = { hookId: hook.id };
  const deliveries = async () => (await ada.call(listHookDeliveries, { params, query: {} })).deliveries;
  const ticketId = await file();
  const [first, second] = await receiver.until(2);
  const headers = first?.headers as Record<string, string>;
  assert.equal((new Webhook(secret).verify(first?.body.toString() ?? "", headers) as Body).data.ticket.id, ticketId);
  assert.equal(second?.headers["webhook-id"], headers["webhook-id"]);
  await until(async () => (await deliveries())[0]?.state === "dead");
  const [dead] = await deliveries();
  assert.deepEqual([dead?.id, dead?.type, dead?.ticket.id], [headers["webhook-id"], "ticket.created", ticketId]);
  assert.deepEqual(
    dead?.attempts.map(({ number, status, response }) => [number, status, response]),
    [
      [2, 500, "said"],
      [1, 500, "said"],
    ],
  );

  status = 204;
  await ada.call(resendHookDelivery, { params: { ...params, deliveryId: dead?.id ?? "" } });
  await until(async () => (await deliveries())[0]?.state === "delivered");
  const from = new Date(0).toISOString();
  const { count } = await ada.call(resendHookDeliveries, { params, body: { state: "all", from } });
  assert.equal(count, 1);
  await receiver.until(4);
  assert.equal(receiver.received[3]?.headers["webhook-id"], headers["webhook-id"]);

  status = 410;
  await file();
  await until(async () => !(await ada.call(listHooks)).hooks[0]?.enabled);
  assert.equal((await ada.call(listHooks)).hooks[0]?.disabledReason, "It answered 410 Gone.");
  const body = { state: "dead" as const, from };
  await assert.rejects(ada.call(resendHookDeliveries, { params, body }), { code: "hook_disabled" });
  status = 204;
  await ada.call(changeHook, { params, body: { enabled: true } });
  await until(async () => (await deliveries()).every(({ state }) => state === "dead" || state === "delivered"));
});
