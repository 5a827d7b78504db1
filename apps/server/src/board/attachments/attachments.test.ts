import assert from "node:assert/strict";
import { hash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import type { Attachment } from "@lodge/contract/attachments";
import {
  deleteTicket,
  deleteTicketAttachment,
  listActivities,
  listTicketAttachments,
  purgeTicket,
} from "@lodge/contract/calls.generated";
import { ticketAttachmentBytesMax } from "@lodge/contract/limits";
import { sweepStore } from "../../both/retention/sweep-store.ts";
import { type DashboardClient, signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";

const lodge = await startService();
after(() => lodge[Symbol.asyncDispose]());

/** An organisation with a ticket, a token that may edit tickets of the project, and Ada, who owns it. */
async function team() {
  const acme = await makeOrganisation(lodge);
  const made = await lodge.apply({
    organisation: { name: "Acme", slug: acme.slug },
    tokens: [
      { name: "Editor", scope: ["web"], permissions: ["tickets:read", "tickets:edit"] },
      { name: "Elsewhere", scope: ["mobile"], permissions: ["tickets:read", "tickets:edit"] },
    ],
  });
  const [editor = "", elsewhere = ""] = made.tokens.map(({ secret }) => secret ?? "");
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const ticketId = String((await lodge.fileTicket(acme.tokens.web, { title: "Red" })).body.id);
  const ask = async (token: string, path: string, init: RequestInit = {}) => {
    const response = await fetch(`${lodge.url}/api/v1${path}`, {
      ...init,
      headers: { authorization: `Bearer ${token}`, ...init.headers },
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson = response.headers.get("content-type")?.startsWith("application/json; charset") ?? false;
    return {
      status: response.status,
      headers: response.headers,
      bytes,
      body: (isJson ? JSON.parse(bytes.toString()) : {}) as Attachment & { error?: string },
    };
  };
  const attach = (token: string, body: Buffer | string, filename = "build.log", type = "text/plain") =>
    ask(token, `/tickets/${ticketId}/attachments?filename=${encodeURIComponent(filename)}`, {
      method: "POST",
      body,
      headers: { "content-type": type },
    });
  const list = async () => (await ada.call(listTicketAttachments, { params: { ticketId } })).attachments;
  return { acme, ada, ticketId, editor, elsewhere, ask, attach, list };
}

test("a file is attached once, listed, and downloaded unchanged, with headers that keep browsers from running it", async () => {
  const { editor, attach, ask, list, ticketId } = await team();
  const bytes = Buffer.from("<script>alert(1)</script>");
  const { status, body } = await attach(editor, bytes, 'evil "name"\u202e.html', "text/html");
  assert.equal(status, 201, JSON.stringify(body));
  assert.deepEqual(
    [body.ticketId, body.byteLength, body.sha256, body.author],
    [ticketId, bytes.length, hash("sha256", bytes), { kind: "token", name: "Editor" }],
  );
  const again = await attach(editor, bytes, 'evil "name"\u202e.html', "text/html");
  assert.equal(again.body.id, body.id);
  assert.deepEqual(await list(), [body]);
  const download = await ask(editor, `/attachments/${body.id}`);
  assert.deepEqual(download.bytes, bytes);
  assert.match(download.headers.get("content-disposition") ?? "", /^attachment; filename="evil _name_\.html"/);
  assert.deepEqual(
    ["x-content-type-options", "content-security-policy"].map((name) => download.headers.get(name)),
    ["nosniff", "default-src 'none'; sandbox"],
  );
});

test("a ticket's history says who attached or deleted a file", async () => {
  const { ada, editor, attach, ticketId, ask } = await team();
  const updatedAt = async () => JSON.parse((await ask(editor, `/tickets/${ticketId}`)).bytes.toString()).updatedAt;
  const before = await updatedAt();
  const { body } = await attach(editor, "log");
  await attach(editor, "log"); // the same file again
  assert.notEqual(await updatedAt(), before);
  await ada.call(deleteTicketAttachment, { params: { attachmentId: body.id } });
  const { activities } = await ada.call(listActivities, { params: { ticketId }, query: {} });
  assert.deepEqual(
    activities.map(({ kind, actor, filename }) => [kind, actor.kind, actor.name, filename]),
    [
      ["ticket.detached", "person", "Ada", "build.log"],
      ["ticket.attached", "token", "Editor", "build.log"],
      ["ticket.filed", "token", "Web CI", undefined],
    ],
  );
});

test("people who cannot edit the ticket cannot attach a file, and people who cannot read it see none", async () => {
  const { acme, editor, elsewhere, attach, ask, ada, list, ticketId } = await team();
  const { body } = await attach(editor, "log");
  const codeOf = async (answer: Promise<{ status: number; body: { error?: string } }>) => {
    const { status, body } = await answer;
    return [status, body.error];
  };
  assert.deepEqual(await codeOf(attach("nothing", "x")), [401, "invalid_api_token"]);
  assert.deepEqual(await codeOf(attach(acme.tokens.reader, "x")), [403, "insufficient_scope"]);
  assert.deepEqual(await codeOf(attach(elsewhere, "x")), [404, "ticket_not_found"]);
  assert.deepEqual(await codeOf(ask(elsewhere, `/attachments/${body.id}`)), [404, "attachment_not_found"]);
  assert.deepEqual(await codeOf(ask(elsewhere, `/tickets/${ticketId}/attachments`)), [404, "ticket_not_found"]);
  assert.deepEqual(await codeOf(ask(editor, `/attachments/${randomUUID()}`)), [404, "attachment_not_found"]);
  const stranger = await team();
  assert.deepEqual(await codeOf(ask(stranger.editor, `/attachments/${body.id}`)), [404, "attachment_not_found"]);
  const params = { attachmentId: body.id };
  await assert.rejects(stranger.ada.call(deleteTicketAttachment, { params }), { code: "attachment_not_found" });
  await assert.rejects(stranger.ada.call(listTicketAttachments, { params: { ticketId } }), {
    code: "ticket_not_found",
  });
  assert.equal((await list()).length, 1);
  await ada.call(deleteTicketAttachment, { params });
  assert.deepEqual(await list(), []);
});

test("a file above 25 MiB, or without a name, is refused and leaves nothing", async () => {
  const { editor, attach, list } = await team();
  const large = await attach(editor, Buffer.alloc(ticketAttachmentBytesMax + 1));
  assert.deepEqual([large.status, large.body.error], [413, "file_too_large"]);
  const nameless = await attach(editor, "x", "");
  assert.deepEqual([nameless.status, nameless.body.error], [400, "invalid_input"]);
  assert.deepEqual(await list(), []);
  assert.equal((await attach(editor, Buffer.alloc(ticketAttachmentBytesMax))).status, 201);
});

test("an upload that grows above 25 MiB or stalls is cut off and leaves nothing", async () => {
  const { editor, ticketId, list } = await team();
  const before = await Array.fromAsync(lodge.deps.store.list(""));
  const send = (headers: Record<string, string>, { url } = lodge) => {
    const sending = httpRequest(`${url}/api/v1/tickets/${ticketId}/attachments?filename=a.har`, {
      method: "POST",
      headers: { authorization: `Bearer ${editor}`, ...headers },
    });
    return sending.on("error", () => {}); // the connection is cut once the file is refused
  };
  const chunked = send({ "transfer-encoding": "chunked" });
  chunked.write(Buffer.alloc(ticketAttachmentBytesMax + 1));
  const [tooLarge] = await once(chunked, "response");
  assert.equal(tooLarge.statusCode, 413);
  chunked.destroy();
  await using impatient = await startService({ ...lodge.env, LODGE_INGEST_IDLE_SECONDS: "1" });
  const stalling = send({ "content-length": "5000" }, impatient);
  stalling.write("a beginning");
  const [timedOut] = await once(stalling, "response");
  assert.equal(timedOut.statusCode, 408);
  stalling.destroy();
  assert.deepEqual(await list(), []);
  assert.deepEqual(await Array.fromAsync(lodge.deps.store.list("")), before);
});

test("deleting a ticket during an upload leaves no file", async () => {
  const { ada, editor, ticketId } = await team();
  const before = await Array.fromAsync(lodge.deps.store.list(""));
  const sending = httpRequest(`${lodge.url}/api/v1/tickets/${ticketId}/attachments?filename=a.log`, {
    method: "POST",
    headers: { authorization: `Bearer ${editor}`, "content-length": "10" },
  });
  sending.write("begin");
  const unfinished = join(lodge.deps.config.dataDir, "artifacts/.unfinished");
  await until(async () => (await readdir(unfinished)).length === 1);
  await ada.call(deleteTicket, { params: { ticketId } });
  sending.end("ended");
  const [answer] = await once(sending, "response");
  assert.equal(answer.statusCode, 404);
  assert.deepEqual(await Array.fromAsync(lodge.deps.store.list("")), before);
});

test("members attach files in the dashboard; other organisations cannot see or download them", async () => {
  const { ada, ticketId, ask, editor } = await team();
  const stranger = await team();
  const upload = (client: DashboardClient, origin?: string) =>
    lodge.request("POST", `/api/dashboard/tickets/${ticketId}/attachments?filename=trace.har`, {
      headers: {
        cookie: [...client.cookies].map((pair) => pair.join("=")).join("; "),
        "content-type": "application/json",
        ...(origin && { origin }),
      },
      body: Buffer.from("{}"),
    });
  assert.equal((await upload(stranger.ada)).body.error, "ticket_not_found");
  assert.equal((await upload(ada, "https://evil.example.test")).body.error, "untrusted_origin");
  const { status, body } = await upload(ada);
  assert.deepEqual([status, (body.author as Attachment["author"]).kind], [201, "person"]);
  const path = `/attachments/${body.id}`;
  assert.equal((await ada("GET", path)).status, 200);
  assert.equal((await stranger.ada("GET", path)).status, 404);
  assert.equal((await ask(editor, path)).bytes.toString(), "{}");
  assert.equal((await fetch(`${lodge.url}/api/dashboard${path}`)).status, 401);
});

test("the sweep removes the files of deleted tickets, and the files that people deleted", async () => {
  const { acme, ada, editor, attach, ticketId } = await team();
  const rows = async () =>
    (await lodge.deps.pool.query("select store_key from ticket_attachments where organisation_id = $1", [acme.id]))
      .rows;
  await attach(editor, "one");
  const { body } = await attach(editor, "two", "two.log");
  const keys = (await rows()).map(({ store_key }) => store_key as string);
  await ada.call(deleteTicketAttachment, { params: { attachmentId: body.id } });
  await ada.call(deleteTicket, { params: { ticketId } });
  await sweepStore(lodge.deps);
  assert.equal((await rows()).length, 1, "a ticket in the trash keeps its files");
  await ada.call(purgeTicket, { params: { ticketId } });
  await sweepStore(lodge.deps);
  assert.deepEqual(await rows(), []);
  for (const key of keys) assert.equal(await lodge.deps.store.read(key), undefined);
});
