import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, test } from "node:test";
import { brotliCompressSync, constants, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { declare, encodeForm, envelopePart, type FormPart } from "../../testing/encode-form.ts";
import { assertStoreIsWhole, startDoor } from "../../testing/start-door.ts";

// A whole request may have a Content-Encoding (contract section 3, step 5).

const door = await startDoor();
after(() => door[Symbol.asyncDispose]());

const encoders = { gzip: gzipSync, deflate: deflateSync, br: brotliCompressSync, zstd: zstdCompressSync };
const bytes = randomBytes(300_000);

const report = (reportId: string): FormPart[] => [
  envelopePart({ reportId, attachments: [declare("log", bytes)] }),
  { name: "log", body: bytes },
];
const post = (body: Uint8Array, encoding: string) => door.post(body, { "content-encoding": encoding });

for (const [encoding, encode] of Object.entries(encoders)) {
  test(`a report in ${encoding} is accepted, and resending it is a duplicate`, async () => {
    const body = encode(encodeForm(report(encoding)));
    const answer = await post(body, encoding);
    assert.equal(answer.status, 200, answer.text);
    const again = await post(body, encoding.toUpperCase());
    assert.deepEqual([again.body.eventId, again.body.idempotent], [answer.body.eventId, true]);
  });

  test(`a body that ends early or is not in ${encoding} is invalid_multipart`, async () => {
    const body = encode(encodeForm(report("broken")));
    for (const broken of [body.subarray(0, body.length / 2), encodeForm(report("broken")), Buffer.from("x")]) {
      const answer = await post(broken, encoding);
      assert.deepEqual([answer.status, answer.body.error], [400, "invalid_multipart"], answer.text);
    }
  });

  test(`a body of a few kB in ${encoding} that decodes to more than 25 MB is payload_too_large`, async () => {
    const parts = [envelopePart({ reportId: "bomb" }), { name: "a", body: Buffer.alloc(26_000_000) }];
    const answer = await post(encode(encodeForm(parts.toReversed())), encoding);
    assert.deepEqual([answer.status, answer.body.error], [413, "payload_too_large"], answer.text);
  });
}

test("none and identity are the same; other encodings, and several at once, are refused", async () => {
  assert.equal((await post(encodeForm(report("plain")), "identity")).status, 200);
  assert.equal((await post(gzipSync(encodeForm(report("x-gzip"))), "x-gzip")).status, 200);
  for (const encoding of ["compress", "gzip, gzip", "toString", "zstd;q=1"]) {
    const answer = await post(gzipSync(encodeForm(report("other"))), encoding);
    assert.deepEqual([answer.status, answer.body.error], [400, "invalid_multipart"], encoding);
  }
});

test("a zstd body whose decoder would need more than 8 MiB is refused", async () => {
  const params = { [constants.ZSTD_c_windowLog]: 27 };
  const body = zstdCompressSync(
    encodeForm([envelopePart({ reportId: "window" }), { name: "a", body: Buffer.alloc(20_000_000) }]),
    {
      params,
    },
  );
  const answer = await post(body, "zstd");
  assert.deepEqual([answer.status, answer.body.error], [400, "invalid_multipart"]);
});

test("only accepted reports are in the store", async () => {
  assert.deepEqual(await door.reportIds(), ["br", "deflate", "gzip", "plain", "x-gzip", "zstd"]);
  await assertStoreIsWhole(door.deps, door.deps.config.dataDir);
});
