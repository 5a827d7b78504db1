import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  changeComment,
  changeTicket,
  createTicket,
  deleteComment,
  deleteTicket,
  purgeTicket,
  writeComment,
} from "@lodge/contract/calls.generated";
import { imageBytesMax } from "@lodge/contract/limits";
import { sweepStore } from "../../both/retention/sweep-store.ts";
import { type DashboardClient, signedIn } from "../../testing/dashboard-client.ts";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { startService } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";

const dayMs = 86_400_000;
const clock = movableClock();
const lodge = await startService({}, { clock });
after(() => lodge[Symbol.asyncDispose]());

const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(3_000, 7)]);
const startOf = {
  "image/png": png.subarray(0, 20),
  "image/jpeg": Buffer.from("ffd8ffe000104a46494600010100", "hex"),
  "image/gif": Buffer.from("GIF87a, and so on"),
  "image/webp": Buffer.from("RIFF....WEBPVP8 "),
  "image/avif": Buffer.from("....ftypavif...."),
};

/** A person in an organisation of their own, with a ticket. */
async function somebody() {
  const acme = await makeOrganisation(lodge);
  const ada = await signedIn(lodge, `ada@${acme.slug}.test`);
  const file = async () => `${(await lodge.fileTicket(acme.tokens.web, { title: "t" })).body.id}`;
  const cookie = [...ada.cookies].map((pair) => pair.join("=")).join("; ");
  const store = (ticketId: string, body: Uint8Array, headers: Record<string, string> = {}) =>
    lodge.request("POST", `/api/dashboard/tickets/${ticketId}/images`, {
      headers: { cookie, "content-type": "image/png", ...headers },
      body,
    });
  return { acme, ada, file, store, cookie };
}

const statusOf = async (client: DashboardClient, url: unknown) =>
  (await client("GET", `${url}`.slice("/api/dashboard".length))).status;

test("an image's type comes from its first bytes; only members of the organisation see it, and browsers cannot run it", async () => {
  const { ada, file, store, cookie } = await somebody();
  const ticketId = await file();
  for (const [contentType, bytes] of Object.entries(startOf)) {
    const stored = await store(ticketId, bytes, { "content-type": "text/html" });
    assert.deepEqual(
      [stored.status, stored.body.contentType, stored.body.byteLength],
      [201, contentType, bytes.length],
    );
  }
  const { body } = await store(ticketId, png);
  const shown = await fetch(`${lodge.url}${body.url}`, { headers: { cookie } });
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), png);
  const headers = ["content-type", "x-content-type-options", "content-security-policy", "cross-origin-resource-policy"];
  assert.deepEqual(
    headers.map((name) => shown.headers.get(name)),
    ["image/png", "nosniff", "default-src 'none'; sandbox", "same-origin"],
  );
  assert.match(shown.headers.get("content-disposition") ?? "", /^attachment; filename="image\.png"/);
  assert.equal(shown.headers.get("cache-control"), "private, max-age=86400, immutable");
  const eve = await somebody();
  assert.equal(await statusOf(eve.ada, body.url), 404);
  assert.equal(await statusOf(ada, body.url), 200);
  assert.equal((await eve.store(ticketId, png)).body.error, "ticket_not_found");
  assert.equal((await fetch(`${lodge.url}${body.url}`)).status, 401);
  const elsewhere = await store(ticketId, png, { origin: "https://evil.example.test" });
  assert.equal(elsewhere.body.error, "untrusted_origin");
});

test("a file that is not an image, too large or incomplete is refused and leaves nothing behind", async () => {
  const { file, store, cookie } = await somebody();
  const ticketId = await file();
  const before = await storedKeys();
  const page = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>");
  for (const bytes of [page, Buffer.alloc(0), png.subarray(0, 5)]) {
    const refused = await store(ticketId, bytes);
    assert.deepEqual([refused.status, refused.body.error], [400, "not_an_image"]);
  }
  const announced = await store(ticketId, Buffer.concat([png, Buffer.alloc(imageBytesMax)]));
  assert.deepEqual([announced.status, announced.body.error], [413, "image_too_large"]);
  const send = (headers: Record<string, string>, { url } = lodge) =>
    httpRequest(`${url}/api/dashboard/tickets/${ticketId}/images`, {
      method: "POST",
      headers: { cookie, "content-type": "image/png", ...headers },
    });
  const chunked = send({ "transfer-encoding": "chunked" });
  chunked.on("error", () => {}); // the connection is cut once the file is refused
  chunked.write(Buffer.concat([png, Buffer.alloc(imageBytesMax)]));
  const [tooLarge] = await once(chunked, "response");
  assert.equal(tooLarge.statusCode, 413);
  tooLarge.resume();
  chunked.destroy();
  await using impatient = await startService({ ...lodge.env, LODGE_INGEST_IDLE_SECONDS: "1" }, { clock });
  const stalling = send({ "content-length": "5000" }, impatient);
  stalling.on("error", () => {});
  stalling.write(png);
  const [timedOut] = await once(stalling, "response");
  assert.equal(timedOut.statusCode, 408);
  timedOut.resume();
  stalling.destroy();
  assert.deepEqual(await storedKeys(), before);
});

test("an upload that breaks off leaves no file, and no open file descriptor, behind", async () => {
  const { file, cookie } = await somebody();
  const unfinished = join(lodge.deps.config.dataDir, "artifacts/.unfinished");
  const sending = httpRequest(`${lodge.url}/api/dashboard/tickets/${await file()}/images`, {
    method: "POST",
    headers: { cookie, "content-type": "image/png", "content-length": "5000" },
  });
  sending.on("error", () => {});
  sending.write(png);
  await until(async () => (await readdir(unfinished)).length === 1);
  sending.destroy();
  // Node ends a process if a file handle is garbage-collected unclosed.
  await until(async () => (await readdir(unfinished)).length === 0);
});

test("an image is kept as long as a description or comment shows it, and is deleted with its ticket", async () => {
  const { ada, file, store } = await somebody();
  await lodge.deps.pool.query("update sessions set expires_at = expires_at + interval '30 days'");
  const ticketId = await file();
  const params = { ticketId };
  const image = async () => (await store(ticketId, png)).body.url as string;
  const [described, said, edited, unused, other] = [
    await image(),
    await image(),
    await image(),
    await image(),
    await image(),
  ];
  const markdown = (url: string) => `Look:\n![shot.png](${url})`;
  await ada.call(changeTicket, { params, body: { description: markdown(described) } });
  const comment = await ada.call(writeComment, { params, body: { text: markdown(said) } });
  const changed = await ada.call(writeComment, { params, body: { text: markdown(edited) } });
  const otherTicketId = await file();
  await ada.call(writeComment, { params: { ticketId: otherTicketId }, body: { text: markdown(other) } });
  const all = [described, said, edited, unused, other];
  const found = async () => Promise.all(all.map((url) => statusOf(ada, url)));
  clock.move(6 * dayMs);
  await sweepStore(lodge.deps);
  assert.deepEqual(await found(), [200, 200, 200, 200, 200], "images of drafts are kept for a week");
  clock.move(2 * dayMs);
  await sweepStore(lodge.deps);
  assert.deepEqual(await found(), [200, 200, 200, 404, 404], "text of another ticket does not keep an image");
  await ada.call(changeComment, { params: { ticketId, commentId: changed.id }, body: { text: "Never mind." } });
  await ada.call(deleteComment, { params: { ticketId, commentId: comment.id } });
  await ada.call(changeTicket, { params, body: { description: "" } });
  await sweepStore(lodge.deps);
  assert.deepEqual(await found(), [200, 404, 404, 404, 404], "the history still shows the earlier description");
  await ada.call(deleteTicket, { params });
  await sweepStore(lodge.deps);
  const { rowCount } = await lodge.deps.pool.query("select from images where ticket_id = $1", [ticketId]);
  assert.equal(rowCount, 1, "a ticket in the trash keeps its images");
  assert.deepEqual(await found(), [404, 404, 404, 404, 404], "images of a ticket in the trash are not served");
  await ada.call(purgeTicket, { params });
  await sweepStore(lodge.deps);
  assert.deepEqual(await found(), [404, 404, 404, 404, 404]);
  const { rows } = await lodge.deps.pool.query("select from images where ticket_id is null");
  assert.deepEqual(rows, []);
  assert.deepEqual((await storedKeys()).length, (await lodge.deps.pool.query("select from images")).rows.length);
});

test("an image of an unsaved card belongs to the card once its author files it", async () => {
  const { acme, ada, cookie } = await somebody();
  await lodge.deps.pool.query("update sessions set expires_at = expires_at + interval '30 days'");
  const store = async (body: Uint8Array = png) =>
    lodge.request("POST", "/api/dashboard/images", { headers: { cookie, "content-type": "image/png" }, body });
  assert.equal((await store(Buffer.from("no picture"))).body.error, "not_an_image");
  const [filed, kept, foreign] = [await store(), await store(), await store()].map(({ body }) => `${body.url}`);
  const columnId = acme.web.inbox.backlogId;
  const shows = (url: unknown) => ({ title: "t", columnId, description: `![shot.png](${url})` });
  const { id: ticketId } = await ada.call(createTicket, { body: shows(filed) });
  const mel = await signedIn(lodge, await anotherMember(acme.slug));
  await mel.call(createTicket, { body: shows(foreign) }); // Mel's card shows Ada's draft image
  clock.move(8 * dayMs);
  await sweepStore(lodge.deps);
  assert.deepEqual(
    await Promise.all([filed, kept, foreign].map((url) => statusOf(ada, url))),
    [200, 404, 404],
    "images of drafts are kept for a week",
  );
  await ada.call(deleteTicket, { params: { ticketId } });
  await ada.call(purgeTicket, { params: { ticketId } });
  await sweepStore(lodge.deps);
  assert.equal(await statusOf(ada, filed), 404, "the image is deleted with its ticket");
});

async function anotherMember(slug: string): Promise<string> {
  const email = `mel@${slug}.test`;
  await lodge.apply({ organisation: { name: "Acme", slug }, members: [{ email, name: "Mel", role: "member" }] });
  return email;
}

async function storedKeys() {
  const keys: string[] = [];
  for await (const key of lodge.deps.store.list("")) keys.push(key);
  return keys.sort();
}
