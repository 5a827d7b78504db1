import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { declare, encodeForm, envelopePart, type FormPart } from "../../testing/encode-form.ts";
import { chunked, ingestHead, lastChunk, openConnection } from "../../testing/open-connection.ts";
import { assertNothingKept, assertStoreIsWhole, type Door, startDoor } from "../../testing/start-door.ts";

// A twenty-fifth of the defaults. As with those, an attachment may be larger than a request.
const requestMax = 1_000_000;
const attachmentMax = 1_048_576;

let door: Door;
before(async () => {
  door = await startDoor({
    LODGE_INGEST_REQUEST_BYTES: `${requestMax}`,
    LODGE_INGEST_ATTACHMENT_BYTES: `${attachmentMax}`,
  });
});
after(() => door[Symbol.asyncDispose]());

const declaring = (byteLength: number, reportId = "r") =>
  envelopePart({ reportId, attachments: [{ ...declare("a", ""), byteLength }] });
const attachment = (byteLength: number): FormPart => ({ name: "a", body: Buffer.alloc(byteLength) });

/** Sends a body in chunks, without a length, until there is an answer. */
async function sendChunked(to: Door, body: Buffer) {
  await using connection = await openConnection(to.url);
  await connection.send(ingestHead([...to.lines, "Transfer-Encoding: chunked"]));
  const answered = connection.answer();
  let waiting = true;
  void answered.finally(() => {
    waiting = false;
  });
  for (let offset = 0; waiting && offset < body.length; offset += 50_000) {
    await connection.send(chunked(body.subarray(offset, offset + 50_000)));
  }
  await connection.send(lastChunk);
  return await answered;
}

test("a request of the maximum size is accepted, and one byte more is payload_too_large", async () => {
  for (const reverse of [false, true]) {
    for (const more of [0, 1]) {
      const build = (byteLength: number) => {
        const bytes = Buffer.alloc(byteLength, "x");
        const parts = [
          envelopePart({ reportId: `${reverse}`, attachments: [declare("a", bytes)] }),
          { name: "a", body: bytes },
        ];
        return encodeForm(reverse ? parts.reverse() : parts);
      };
      const around = build(400_000).length - 400_000;
      const body = build(requestMax - around + more);
      assert.equal(body.length, requestMax + more);
      if (more === 1) {
        await door.deps.db.deleteFrom("report_ids").execute(); // otherwise it would be a duplicate
      }
      const whole = await door.post(body);
      const inChunks = await sendChunked(door, body);
      if (more === 0) {
        assert.deepEqual([whole.status, whole.body.idempotent], [200, false]);
        assert.deepEqual([inChunks?.status, inChunks?.body.idempotent], [200, true]);
        await assertStoreIsWhole(door.deps, door.deps.config.dataDir);
        await removeEverything();
      } else {
        assert.deepEqual([whole.status, whole.body.error], [413, "payload_too_large"]);
        assert.deepEqual([inChunks?.status, inChunks?.body.error], [413, "payload_too_large"]);
        await assertNothingKept(door);
      }
    }
  }
});

async function removeEverything() {
  const { db, store } = door.deps;
  const artifacts = await db.deleteFrom("artifacts").returning("store_key").execute();
  await store.delete(artifacts.map((row) => row.store_key));
  await db.deleteFrom("events").execute();
  await db.deleteFrom("report_ids").execute();
}

test("a request that is too large gets attachment_too_large if its envelope declares too much, otherwise payload_too_large", async () => {
  const huge = attachment(attachmentMax + 1);
  for (const [what, parts, error] of [
    ["declared and sent", [declaring(attachmentMax + 1), huge], "attachment_too_large"],
    [
      "declared, but the request ends as soon as it is too large",
      [declaring(attachmentMax + 1), attachment(requestMax)],
      "attachment_too_large",
    ],
    ["declared as the largest that is allowed", [declaring(attachmentMax), huge], "payload_too_large"],
    ["declared too late", [huge, declaring(attachmentMax + 1)], "payload_too_large"],
    [
      "several together",
      [declaring(800_000), attachment(800_000), { name: "b", body: Buffer.alloc(240_000) }],
      "payload_too_large",
    ],
    ["an attachment that nobody declared", [envelopePart({ reportId: "r" }), huge], "payload_too_large"],
  ] as [string, FormPart[], string][]) {
    const body = encodeForm(parts);
    const announced = await door.post(body);
    assert.deepEqual([announced.status, announced.body.error], [413, error], `${what}, announced`);
    const inChunks = await sendChunked(door, body);
    // Without a length, the server notices later that the request is too large, and reports the first error.
    const first = what === "an attachment that nobody declared" ? "attachment_unexpected" : error;
    const later = what === "several together" ? ["attachment_sha256_mismatch", error] : [first];
    assert.ok(later.includes(String(inChunks?.body.error)), `${what}, in chunks: ${inChunks?.text}`);
    await assertNothingKept(door);
  }
});

test("attachment_too_large also applies to bytes received, if the request itself may be larger", async () => {
  await using roomy = await startDoor({
    LODGE_INGEST_REQUEST_BYTES: "4000000",
    LODGE_INGEST_ATTACHMENT_BYTES: "1000000",
  });
  const tooMuch = { name: "a", body: Buffer.alloc(1_000_001) };
  for (const parts of [
    [declaring(1_000_001), tooMuch],
    [tooMuch, declaring(1_000_001)],
  ]) {
    const { status, body } = await roomy.submit(parts);
    assert.deepEqual([status, body.error], [413, "attachment_too_large"]);
  }
  const bytes = Buffer.alloc(1_000_000);
  const parts = ["a", "b", "c"].map((name) => ({ name, body: bytes }));
  const attachments = parts.map(({ name }) => declare(name, bytes));
  assert.equal((await roomy.submit([...parts, envelopePart({ reportId: "r", attachments })])).status, 200);
  const tooMany = await roomy.submit([...parts, { name: "d", body: bytes }, envelopePart({ reportId: "s" })]);
  assert.deepEqual([tooMany.status, tooMany.body.error], [413, "payload_too_large"]);
  await assertStoreIsWhole(roomy.deps, roomy.deps.config.dataDir);
});

test("a Content-Length above the limit is refused after the envelope, without reading the rest", async () => {
  for (const [byteLength, error] of [
    [attachmentMax + 1, "attachment_too_large"],
    [1_000, "payload_too_large"],
  ] as const) {
    await using connection = await openConnection(door.url);
    await connection.send(ingestHead([...door.lines, "Content-Length: 1000000000"]));
    await connection.send(encodeForm([declaring(byteLength), { name: "a", body: "" }], { final: false }));
    const answer = await connection.answer();
    assert.deepEqual([answer?.status, answer?.body.error], [413, error]);
    await connection.closed;
  }
});

test("a chunked body without an end is refused", async () => {
  for (const parts of [[envelopePart({ reportId: "r" })], [{ name: "a", body: "" }], []] as FormPart[][]) {
    const start = encodeForm(parts, { final: false });
    const endless = Buffer.concat([
      start,
      Buffer.from('------a-test\'s-form\r\nContent-Disposition: form-data; name="z"\r\n\r\n'),
    ]);
    await using connection = await openConnection(door.url);
    await connection.send(ingestHead([...door.lines, "Transfer-Encoding: chunked"]));
    await connection.send(chunked(parts.length === 0 ? Buffer.from("a preamble ") : endless));
    const megabyte = chunked(Buffer.alloc(1_000_000));
    const answered = connection.answer();
    let open = true;
    void connection.closed.then(() => {
      open = false;
    });
    while (open) await connection.send(megabyte);
    const answer = await answered;
    assert.ok(["payload_too_large", "attachment_unexpected"].includes(String(answer?.body.error)), `${answer?.text}`);
    await assertNothingKept(door);
  }
});

test("a report with an endless epilogue is accepted, and the connection is closed", async () => {
  await using own = await startDoor({ LODGE_INGEST_REQUEST_BYTES: "1000000" });
  await using connection = await openConnection(own.url);
  await connection.send(ingestHead([...own.lines, "Transfer-Encoding: chunked"]));
  await connection.send(chunked(encodeForm([envelopePart({ reportId: "r" })])));
  let open = true;
  void connection.closed.then(() => {
    open = false;
  });
  while (open) await connection.send(chunked(Buffer.from("\r\n------a-test's-form\r\n".repeat(5_000))));
  assert.equal((await connection.answer())?.status, 200);
});
