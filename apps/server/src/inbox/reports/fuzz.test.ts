import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { errors } from "@lodge/contract/errors";
import { contentDigest, declare, encodeForm, envelopePart, formBoundary } from "../../testing/encode-form.ts";
import { chunked, ingestHead, lastChunk, openConnection } from "../../testing/open-connection.ts";
import { randomFor } from "../../testing/random.ts";
import { assertStoreIsWhole, type Door, startDoor } from "../../testing/start-door.ts";

/** `TEST_ROUNDS=20000 npm test -- apps/server/src/inbox/reports/fuzz.test.ts` searches for rare failures. */
const rounds = Number(process.env.TEST_ROUNDS ?? 400);
let random = randomFor("").number;
const below = (limit: number) => Math.floor(random() * limit);
const one = <T>(list: readonly T[]): T => list[below(list.length)] as T;

const noise = [
  `\r\n--${formBoundary}\r\n`,
  `\r\n--${formBoundary}--`,
  `\r\n--${formBoundary}-`,
  `--${formBoundary}`,
  "\r\n",
  "\r\n\r\n",
  "\n",
  "\r",
  "--",
  "\u0000",
  'Content-Disposition: form-data; name="envelope"\r\n',
  'Content-Disposition: form-data; name="b"; filename="c"\r\n\r\n',
  "Content-Type: application/gzip\r\n",
  "Content-Digest: sha-256=:AAAA:\r\n",
  " folded\r\n",
  ": \r\n",
  "\u001f\u008b",
  "{",
  '"',
  "%22",
  "ü".repeat(50),
  "X: y\r\n".repeat(40),
  "z".repeat(9_000),
].map((text) => Buffer.from(text, "latin1"));

/** A well-formed report of small parts. Its reportId is one of a few, so that there are duplicates too. */
function wellFormed(): Buffer {
  const attachments = Array.from({ length: below(4) }, (_, index) => ({
    name: `a${index}`,
    body: Buffer.alloc(one([0, 1, 100, 5_000, 70_000]), one(["x", "\r\n", `\r\n--${formBoundary.slice(0, -1)}`])),
  }));
  const envelope = {
    reportId: `report-${below(60)}`,
    attachments: attachments.map(({ name, body }) => declare(name, body)),
  };
  const json = JSON.stringify(envelope);
  const parts = [
    one([
      envelopePart(envelope),
      { name: "envelope", body: gzipSync(json) },
      { name: "envelope", headers: [contentDigest(json)], body: json },
    ]),
    ...attachments,
  ];
  if (random() < 0.5) parts.reverse();
  return encodeForm(parts, one([{}, {}, { preamble: "preamble\r\n" }, { epilogue: "" }, { final: false }]));
}

/** Makes one change to a body, usually close to something that a parser looks for. */
function mutate(body: Buffer): Buffer {
  const boundaryAt = body.indexOf(`--${formBoundary}`, below(Math.max(1, body.length)));
  const at =
    random() < 0.5 && boundaryAt >= 0 ? Math.min(body.length, boundaryAt + below(120)) : below(body.length + 1);
  const end = Math.min(body.length, at + one([1, 2, 10, 100, 5_000]));
  const [before, middle, after] = [body.subarray(0, at), body.subarray(at, end), body.subarray(end)];
  switch (below(7)) {
    case 0: // flip a bit
      return Buffer.concat([before, middle.map((byte, index) => (index === 0 ? byte ^ (1 << below(8)) : byte)), after]);
    case 1: // cut off
      return before;
    case 2: // cut out
      return Buffer.concat([before, after]);
    case 3: // repeat
      return Buffer.concat([before, middle, middle, after]);
    case 4: // splice with another
      return Buffer.concat([before, wellFormed().subarray(below(300))]);
    case 5: // swap what two boundaries enclose
      return swapParts(body);
    default: // noise
      return Buffer.concat([before, one(noise), after]);
  }
}

function swapParts(body: Buffer): Buffer {
  const parts = body.toString("latin1").split(`--${formBoundary}`);
  const [from, to] = [below(parts.length), below(parts.length)];
  [parts[from], parts[to]] = [parts[to] ?? "", parts[from] ?? ""];
  return Buffer.from(parts.join(`--${formBoundary}`), "latin1");
}

/** Splits a body into pieces of three sizes, including tiny ones. */
function cutUp(body: Buffer): Buffer[] {
  const size = Math.max(1, Math.ceil(body.length / one([3, 30, 300])));
  const pieces: Buffer[] = [];
  for (let offset = 0; offset < body.length; offset += pieces.at(-1)?.length ?? 0) {
    pieces.push(body.subarray(offset, offset + 1 + below(2 * size)));
  }
  return pieces;
}

async function sendInPieces(door: Door, pieces: readonly Buffer[], inChunks: boolean) {
  const byteLength = pieces.reduce((sum, piece) => sum + piece.length, 0);
  await using connection = await openConnection(door.url);
  const framing = inChunks ? "Transfer-Encoding: chunked" : `Content-Length: ${byteLength}`;
  await connection.send(ingestHead([...door.lines, framing]));
  for (const piece of pieces) await connection.send(inChunks ? chunked(piece) : piece);
  if (inChunks) await connection.send(lastChunk);
  return await connection.answer();
}

test("mutated bodies are refused in JSON or accepted whole, without a 5xx, a hang or a stray file", async () => {
  await using door = await startDoor();
  const codes = new Map<string, number>();
  const check = (status: number | undefined, answer: Record<string, unknown> | undefined, body: Buffer) => {
    const what = () =>
      `${status} ${JSON.stringify(answer)} for ${JSON.stringify(body.toString("latin1").slice(0, 2_000))}`;
    const code = status === 200 ? String(answer?.status) : String(answer?.error);
    if (status === 200) assert.equal(code, "received", what());
    else assert.ok(status && status >= 400 && status < 500 && code in errors, what());
    assert.notEqual(code, "request_timeout", what());
    codes.set(code, (codes.get(code) ?? 0) + 1);
  };
  let next = 0;
  const worker = async () => {
    while (next < rounds) {
      next += 1;
      random = randomFor(`round ${next}`).number; // so that a round is reproducible, whatever else runs
      let body = wellFormed();
      for (let count = below(4); count >= 0; count -= 1) body = mutate(body);
      const how = below(3);
      const pieces = cutUp(body);
      const answer = how === 0 ? await door.post(body) : await sendInPieces(door, pieces, how === 1);
      check(answer?.status, answer?.body, body);
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));

  await assertStoreIsWhole(door.deps, door.deps.config.dataDir);
  const reportIds = await door.reportIds();
  assert.ok(reportIds.length > 5, "some bodies must have been accepted");
  const artifacts = await door.deps.db.selectFrom("artifacts").select(["app_id"]).execute();
  assert.ok(artifacts.length > 0);
  for (const code of ["received", "invalid_multipart", "attachment_missing", "attachment_unexpected"]) {
    assert.ok(codes.has(code), `nothing was answered with ${code}: ${JSON.stringify([...codes])}`);
  }
});
