import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { signedIn, twoOrganisations } from "./dashboard-client.ts";
import { startService } from "./start-service.ts";

const id = "019a0000-0000-7000-8000-000000000000";

/** Valid cursors, and many ways to break them. */
function* cursors() {
  const good = [id, `${"a0".repeat(8)}.${id}`, `2026-05-01T12:00:00.000Z ${id}`, "7"];
  yield* good;
  yield* [
    "",
    " ",
    "0",
    "-1",
    "1e3",
    "null",
    "\u0000",
    "\ud800",
    "'; drop table tickets; --",
    "9".repeat(9),
    "9".repeat(20),
  ];
  yield* [`a.${"-".repeat(36)}`, `a.${"a".repeat(36)}`, `a.${"0-".repeat(18)}`, `${"f".repeat(460)}.${id}`, `.${id}`];
  const days = ["2026-02-30", "2026-04-31", "0000-01-01", "2026-13-01", "9999-12-31"];
  for (const day of days) yield `${day}T00:00:00.000Z ${id}`;
  yield* [`2026-05-01T24:00:00.000Z ${id}`, `2026-05-01T12:00:60.000Z ${id}`, `+275760-09-13T00:00:00.000Z ${id}`];
  yield `2026-05-01T12:00:00.000Z ${"a".repeat(36)}`;
  for (const cursor of good) {
    for (let at = 0; at < cursor.length; at += 7) {
      for (const piece of ["", "x", "-", ".", " ", "%", "g"]) yield cursor.slice(0, at) + piece + cursor.slice(at + 1);
    }
  }
}

test("a forged cursor is read or refused, and never causes an internal error", async () => {
  await using lodge = await startService();
  const { acme } = await twoOrganisations(lodge);
  const { body: ticket } = await lodge.fileTicket(acme.tokens[0]?.secret, { title: "t" });
  const { apps } = await lodge.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [{ name: "iOS", slug: "ios", replies: true, keys: ["default"] }],
  });
  const form = new FormData();
  form.append("envelope", JSON.stringify({ reportId: randomUUID(), installId: "phone" }));
  const submitted = await fetch(`${lodge.url}/api/ingest`, {
    method: "POST",
    headers: { authorization: `Bearer ${apps[0]?.keys[0]?.key}` },
    body: form,
  });
  const { thread } = (await submitted.json()) as { thread: { id: string; token: string } };
  const mel = await signedIn(lodge, "mel@acme.test");
  const asReporter = (path: string) =>
    lodge.request("GET", path, { headers: { authorization: `Bearer ${thread.token}` } });
  const board = acme.projects[0]?.boards[0]?.id;
  const column = acme.projects[0]?.boards[0]?.columns[0]?.id;
  const readers = [
    (cursor: string) => mel("GET", `/columns/${column}/cards?cursor=${cursor}`),
    (cursor: string) => mel("GET", `/columns/${column}/cards?text=t&cursor=${cursor}`),
    (cursor: string) => mel("GET", `/boards/${board}/cards?cursor=${cursor}`),
    (cursor: string) => mel("GET", `/boards/${board}/cards?sort=position&group=priority&cursor=${cursor}`),
    (cursor: string) => mel("GET", `/boards/${board}/cards?group=author&cursor=${cursor}`),
    (cursor: string) => mel("GET", `/boards/${board}/archive?cursor=${cursor}`),
    (cursor: string) => mel("GET", `/tickets/${ticket.id}/comments?cursor=${cursor}`),
    (cursor: string) => mel("GET", `/tickets/${ticket.id}/activities?cursor=${cursor}`),
    (cursor: string) => mel("GET", `/threads?cursor=${cursor}`),
    (cursor: string) => mel("GET", `/threads/${thread.id}/messages?after=${cursor}`),
  ];
  const seen = new Set<number>();
  for (const cursor of new Set(cursors())) {
    const sent = encodeURIComponent(cursor.toWellFormed());
    for (const { status, body } of await Promise.all(readers.map((read) => read(sent)))) {
      seen.add(status);
      assert.ok(status === 200 || (status === 400 && body.error === "invalid_input"), `${status} for ${cursor}`);
    }
  }
  assert.deepEqual([...seen].sort(), [200, 400]);
  // A thread has a rate limit.
  for (const after of ["-1", "1e3", "9".repeat(9), "9".repeat(10), "%00", "x"]) {
    const { status } = await asReporter(`/api/threads/${thread.id}/messages?after=${after}`);
    assert.equal(status, after === "9".repeat(9) ? 200 : 400, after);
  }
});
