import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { sweepStore } from "../../both/retention/sweep-store.ts";
import { logIntoMemory } from "../../testing/log-into-memory.ts";
import { movableClock } from "../../testing/movable-clock.ts";
import { randomBytes } from "../../testing/random.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { type Service, startService, withWorker } from "../../testing/start-service.ts";
import { type Attachment, submitReport } from "../../testing/submit-report.ts";
import { subscribe, webhook } from "../../testing/subscribe.ts";

const local = { ...withWorker, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1" };
const dayMs = 86_400_000;
const screenshot = {
  partName: "screenshot",
  bytes: randomBytes(10_000),
  filename: "Bild „1“ ../\u202egnp.exe",
  contentType: "image/png",
};

test("the message links each attachment, and each link downloads its bytes", async () => {
  await using lodge = await startService(local);
  const log = { partName: "log", bytes: Buffer.from("<script>alert(1)</script>"), contentType: "text/html\r\nx: y" };
  const [first, second] = await linked(lodge, [screenshot, log]);
  const { url, ...facts } = first ?? {};
  const sha256 = createHash("sha256").update(screenshot.bytes).digest();
  assert.deepEqual(facts, {
    partName: "screenshot",
    filename: screenshot.filename,
    contentType: "image/png",
    byteLength: 10_000,
    sha256: sha256.toString("hex"),
  });
  const answer = await fetch(url ?? "");
  assert.equal(answer.status, 200);
  assert.deepEqual(Buffer.from(await answer.arrayBuffer()), screenshot.bytes);
  const headers = Object.fromEntries(answer.headers);
  assert.equal(headers["content-type"], "image/png");
  assert.equal(headers["content-length"], "10000");
  assert.equal(
    headers["content-disposition"],
    `attachment; filename="Bild _1_ .._gnp.exe"; filename*=UTF-8''Bild%20%E2%80%9E1%E2%80%9C%20.._gnp.exe`,
  );
  assert.equal(headers["x-content-type-options"], "nosniff");
  assert.equal(headers["content-security-policy"], "default-src 'none'; sandbox");
  assert.equal(headers["repr-digest"], `sha-256=:${sha256.toString("base64")}:`);
  assert.equal(headers["accept-ranges"], "bytes");

  const page = await fetch(second?.url ?? "");
  assert.equal(page.headers.get("content-type"), "application/octet-stream");
  assert.equal(
    page.headers.get("content-disposition"),
    `attachment; filename="attachment-1"; filename*=UTF-8''attachment-1`,
  );
  assert.deepEqual(Buffer.from(await page.arrayBuffer()), log.bytes);
});

test("a range is served as RFC 9110 defines it", async () => {
  await using lodge = await startService(local);
  const [{ url } = { url: "" }] = await linked(lodge, [screenshot]);
  const { bytes } = screenshot;
  const etag = (await fetch(url, { method: "HEAD" })).headers.get("etag") ?? "";
  const get = (range: string, headers = {}) => fetch(url, { headers: { range, ...headers } });
  const served: [string, number, number][] = [
    ["bytes=0-0", 0, 0],
    ["bytes=100-199", 100, 199],
    ["bytes=9990-", 9990, 9999],
    ["bytes=9990-20000", 9990, 9999],
    ["bytes=-10", 9990, 9999],
    ["bytes=-20000", 0, 9999],
  ];
  for (const [range, start, end] of served) {
    const answer = await get(range);
    assert.equal(answer.status, 206, range);
    assert.equal(answer.headers.get("content-range"), `bytes ${start}-${end}/10000`);
    assert.equal(answer.headers.get("content-length"), `${end - start + 1}`);
    assert.deepEqual(Buffer.from(await answer.arrayBuffer()), bytes.subarray(start, end + 1));
  }
  for (const range of ["bytes=10000-", "bytes=-0"]) {
    const answer = await get(range);
    assert.equal(answer.status, 416, range);
    assert.equal(answer.headers.get("content-range"), "bytes */10000");
    assert.equal(((await answer.json()) as { error: string }).error, "range_not_satisfiable");
  }
  for (const range of ["bytes=0-1,3-4", "bytes=5-2", "lines=1-2", "bytes=-", "bytes=a-b"]) {
    const answer = await get(range);
    assert.equal(answer.status, 200, range);
    assert.equal((await answer.arrayBuffer()).byteLength, 10_000);
  }
  assert.equal((await get("bytes=0-9", { "if-range": etag })).status, 206);
  assert.equal((await get("bytes=0-9", { "if-range": '"another"' })).status, 200);
});

test("a link works until it expires, and not if it is altered", async () => {
  const clock = movableClock();
  await using lodge = await startService(local, { clock });
  const [{ url } = { url: "" }] = await linked(lodge, [screenshot, { partName: "log", bytes: Buffer.from("log") }]);
  const later = Math.floor(clock.now().getTime() / 1000) + 999_999_999;
  const forged = [
    url.replace("/0?", "/1?"),
    url.replace("/0?", "/envelope?"),
    url.replace(/expires=\d+/, `expires=${later}`),
    url.replace(/signature=(.)/, (_, first) => `signature=${first === "A" ? "B" : "A"}`),
    url.replace(/&signature=.*/, ""),
    url.replace(/\?.*/, ""),
    url.replace(/artifacts\/[^/]+/, "artifacts/not-a-uuid"),
  ];
  for (const address of forged) {
    const answer = await fetch(address);
    assert.equal(answer.status, 403, address);
    assert.equal(((await answer.json()) as { error: string }).error, "forbidden");
  }
  clock.move(6.9 * dayMs);
  assert.equal((await fetch(url)).status, 200);
  clock.move(0.2 * dayMs);
  const answer = await fetch(url);
  assert.equal(answer.status, 410);
  assert.equal(((await answer.json()) as { error: string }).error, "link_expired");
});

test("a deleted attachment is not found, even if its link has not expired", async () => {
  const clock = movableClock();
  await using lodge = await startService({ ...local, LODGE_ARTIFACT_RETENTION_DAYS: "2" }, { clock });
  const [{ url } = { url: "" }] = await linked(lodge, [screenshot]);
  clock.move(3 * dayMs);
  await sweepStore(lodge.deps);
  const answer = await fetch(url);
  assert.equal(answer.status, 404);
  assert.equal(((await answer.json()) as { error: string }).error, "not_found");
});

test("the server logs that a file is missing from its store", async () => {
  await using lodge = await startService(local);
  const [{ url } = { url: "" }] = await linked(lodge, [screenshot]);
  const { log, lines, written } = logIntoMemory();
  await using elsewhere = await startService({ ...local, ...lodge.env }, { log });
  const answer = await fetch(url.replace(lodge.url, elsewhere.url));
  assert.equal(answer.status, 404);
  const [warning, ...others] = lines().filter(({ level }) => level === "warn");
  assert.equal(warning?.msg, "an attachment's file is not in this server's store");
  assert.equal(warning?.reqId, answer.headers.get("x-request-id"));
  assert.match(url, new RegExp(`/${warning?.appId}/${warning?.eventId}/${warning?.part}\\?`));
  assert.deepEqual(others, []);
  assert.doesNotMatch(written(), /signature/);
});

test("an envelope above 256 KiB is linked instead of included, byte for byte", async () => {
  await using receiver = await startReceiver();
  await using lodge = await startService(local);
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  const padded = (bytes: number) => `{"reportId":"${bytes}","message":"\\u0000"}`.padEnd(bytes, " ");
  await submitReport(lodge.url, key, padded(262_144));
  const [included] = await receiver.until(1);
  assert.ok(included?.body.includes(padded(262_144)));

  await submitReport(lodge.url, key, padded(262_145));
  const [, message] = await receiver.until(2);
  const { data } = JSON.parse(message?.body.toString() ?? "");
  assert.deepEqual(Object.keys(data), [
    "eventId",
    "appId",
    "reportId",
    "receivedAt",
    "url",
    "problem",
    "envelopeUrl",
    "attachments",
  ]);
  const answer = await fetch(data.envelopeUrl, { headers: { range: "bytes=0-5" } });
  assert.equal(await answer.text(), padded(262_145).slice(0, 6));
  const whole = await fetch(data.envelopeUrl);
  assert.equal(whole.headers.get("content-type"), "application/json");
  assert.equal(await whole.text(), padded(262_145));
});

async function linked(lodge: Service, attachments: Attachment[]) {
  await using receiver = await startReceiver();
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  await submitReport(lodge.url, key, { reportId: "r" }, attachments);
  const [message] = await receiver.until(1);
  return JSON.parse(message?.body.toString() ?? "").data.attachments as { url: string }[];
}
