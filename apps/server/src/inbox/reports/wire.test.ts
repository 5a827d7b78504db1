import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setImmediate, setInterval } from "node:timers/promises";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import type { Deps } from "../../platform/deps.ts";
import { begin } from "../../testing/begin.ts";
import { declare, encodeForm, envelopePart, type FormPart, formBoundary } from "../../testing/encode-form.ts";
import { logIntoMemory } from "../../testing/log-into-memory.ts";
import { chunked, ingestHead, lastChunk, openConnection } from "../../testing/open-connection.ts";
import { randomBytes } from "../../testing/random.ts";
import { slowness } from "../../testing/slowness.ts";
import { assertNothingKept, assertStoreIsWhole, type Door, startDoor } from "../../testing/start-door.ts";
import { makePatientDatabase } from "../../testing/start-service.ts";
import { until } from "../../testing/until.ts";
import { untilWaiting } from "../../testing/until-waiting.ts";

let door: Door;
beforeEach(async () => {
  // Long enough for a busy machine. A test's half-sent request delays the end of the door by this time.
  door = await startDoor({ LODGE_INGEST_IDLE_SECONDS: "5" });
});
afterEach(() => door[Symbol.asyncDispose]());

const bytes = randomBytes(2_000);
const report = (reportId: string, body: Uint8Array = bytes): FormPart[] => [
  envelopePart({ reportId, attachments: [declare("a", body), declare("b", body)] }),
  { name: "a", headers: ["Content-Type: image/png"], body },
  { name: "b", body },
];
const whole = () => assertStoreIsWhole(door.deps, door.deps.config.dataDir);
const withLength = (length: number, ...lines: string[]) =>
  ingestHead([...door.lines, `Content-Length: ${length}`, ...lines]);
/** A door that times out stalled bodies quickly. */
const startImpatientDoor = (env: Record<string, string> = {}, overrides?: Partial<Deps>) =>
  startDoor({ ...env, LODGE_INGEST_IDLE_SECONDS: "1" }, overrides);
const refusalCount = async () => Object.values(await door.refusals()).reduce((sum, count) => sum + count, 0);

test("a body that ends early is refused wherever it was cut, and nothing of it is kept", async () => {
  for (const parts of [report("r"), report("r").reverse()]) {
    const body = encodeForm(parts);
    for (let length = 0; length < body.length - 4; length += 100) {
      const { status, body: answer } = await door.post(body.subarray(0, length));
      assert.equal(status, 400, `${length}`);
      assert.equal(answer.error, length === 0 ? "no_parts" : "invalid_multipart", `${length}`);
    }
    for (const missing of [3, 4, 5]) {
      const { body: answer } = await door.post(body.subarray(0, body.length - missing));
      assert.equal(answer.error, "invalid_multipart", `${missing} bytes missing`);
    }
  }
  await assertNothingKept(door);
});

test("a connection that is cut anywhere leaves nothing behind", async () => {
  let cuts = 0;
  for (const parts of [report("r"), report("r").reverse()]) {
    const body = encodeForm(parts);
    for (let length = 0; length < body.length - 4; length += 100) {
      for (const how of ["end", "reset"] as const) {
        await using connection = await openConnection(door.url);
        await connection.send(withLength(body.length));
        await connection.send(body.subarray(0, length));
        if (how === "reset") connection.reset();
        else {
          connection.end();
          const answer = await connection.answer();
          assert.deepEqual([answer?.status, answer?.body.error], [400, "invalid_multipart"], `${length}`);
          await connection.closed;
        }
        cuts += 1;
      }
    }
  }
  assert.ok(cuts > 100);
  await until(async () => (await refusalCount()) === cuts);
  await assertNothingKept(door);
  assert.deepEqual(Object.keys(await door.refusals()), ["invalid_multipart"]);
});

test("a client that disconnects right after sending everything leaves nothing open", async () => {
  const large = randomBytes(700_000);
  for (let round = 0; round < 30; round += 1) {
    const form = encodeForm(report(`${round}`, large));
    await using connection = await openConnection(door.url);
    void connection.send(Buffer.concat([Buffer.from(withLength(form.length)), form]));
    for (let turn = 0; turn < round; turn += 1) await setImmediate();
    if (round % 3 === 0) connection.reset();
    else if (round % 3 === 1) connection.end();
  }
  await until(() =>
    whole().then(
      () => true,
      () => false,
    ),
  );
});

test("a report sent byte by byte is accepted, chunked or not", async () => {
  const body = encodeForm(report("r", randomBytes(300)));
  const other = encodeForm(report("s", randomBytes(300)).reverse());
  await using plain = await openConnection(door.url);
  await plain.send(withLength(body.length));
  for (const byte of body) await plain.send(Uint8Array.of(byte));
  assert.equal((await plain.answer())?.status, 200);
  await using inChunks = await openConnection(door.url);
  await inChunks.send(ingestHead([...door.lines, "Transfer-Encoding: chunked"]));
  for (const byte of other) await inChunks.send(chunked(Uint8Array.of(byte)));
  await inChunks.send(lastChunk);
  assert.equal((await inChunks.answer())?.status, 200);
  await whole();
});

test("a request that stalls is refused and its connection closed, wherever it stalls", async () => {
  await using impatient = await startImpatientDoor();
  const body = encodeForm(report("r", randomBytes(100_000)));
  const stalled = [0, 10, 100, 300, 1_000, 60_000, 150_000, body.length - 10].map(async (length) => {
    await using connection = await openConnection(impatient.url);
    await connection.send(ingestHead([...impatient.lines, `Content-Length: ${body.length}`]));
    await connection.send(body.subarray(0, length));
    const answer = await connection.answer();
    assert.deepEqual([answer?.status, answer?.body.error], [408, "request_timeout"], `${length}`);
    await connection.closed;
  });
  await Promise.all(stalled);
  await assertNothingKept(impatient);
  assert.deepEqual(await impatient.refusals(stalled.length), { request_timeout: stalled.length });
});

test("a request that trickles in forever times out", async () => {
  const body = encodeForm(report("r", randomBytes(100_000)));
  const trickled = [100, 1_000].map(async (length) => {
    await using connection = await openConnection(door.url);
    await connection.send(withLength(body.length));
    await connection.send(body.subarray(0, length));
    let open = true;
    void connection.closed.then(() => {
      open = false;
    });
    for await (const _ of setInterval(100)) {
      if (!open) break;
      await connection.send("xxxx");
    }
    assert.equal((await connection.answer())?.body.error, "request_timeout");
  });
  await Promise.all(trickled);
  await assertNothingKept(door);
});

test("a refused client that keeps trickling bytes is disconnected", async () => {
  await using connection = await openConnection(door.url);
  await connection.send(ingestHead(["Content-Type: multipart/form-data; boundary=b", "Content-Length: 1000000"]));
  assert.equal((await connection.answer())?.status, 401);
  let open = true;
  void connection.closed.then(() => {
    open = false;
  });
  for await (const _ of setInterval(100)) {
    if (!open) break;
    await connection.send("xxxx");
  }
});

test("a request whose head does not end times out within seconds", async () => {
  await using connection = await openConnection(door.url);
  await connection.send("POST /api/ingest HTTP/1.1\r\nHost: lodge.test\r\nX: ");
  const startedAt = performance.now();
  const answer = await connection.answer();
  assert.deepEqual([answer?.status, answer?.body.error], [408, "request_timeout"]);
  await connection.closed;
  assert.ok(performance.now() - startedAt < 20_000 * slowness());
});

test("an error is answered before the rest of the body has arrived", async () => {
  await using patient = await startDoor({ LODGE_INGEST_IDLE_SECONDS: "3600" });
  const corrupt = gzipSync(JSON.stringify({ reportId: "r", message: randomBytes(5_000).toString("base64") }));
  corrupt[10] = 0xff; // an invalid block type; other corrupt bytes might inflate to something
  for (const [error, start] of [
    ["envelope_invalid_json", encodeForm([{ name: "envelope", body: corrupt.subarray(0, 3_000) }], { final: false })],
    [
      "envelope_too_large",
      encodeForm([{ name: "envelope", body: gzipSync(Buffer.alloc(6_000_000, " ")) }], { final: false }),
    ],
    [
      "attachment_unexpected",
      encodeForm([envelopePart({ reportId: "r" }), { name: "a", body: "byte" }], { final: false }),
    ],
    [
      "bytelength_mismatch",
      encodeForm([...report("r").slice(0, 1), { name: "a", body: randomBytes(70_000) }], { final: false }),
    ],
    ["invalid_multipart", encodeForm([{ headers: ["Content-Type: text/plain"], body: "nameless" }], { final: false })],
  ] as [string, Buffer][]) {
    await using connection = await openConnection(patient.url);
    await connection.send(ingestHead([...patient.lines, "Content-Length: 1000000"]));
    await connection.send(start.subarray(0, -2));
    const answer = await connection.answer();
    assert.equal(answer?.body.error, error);
  }
  await assertNothingKept(patient);
});

test("a sender does not time out while the database keeps its report waiting", async () => {
  await using patient = await makePatientDatabase();
  await using impatient = await startImpatientDoor(patient.env, patient.overrides);
  const { pool } = impatient.deps;
  const blocker = await pool.connect();
  await blocker.query(begin);
  await blocker.query("lock table events in access exclusive mode");
  const body = encodeForm(report("r", randomBytes(300_000)));
  const waiting = Promise.all([impatient.post(body), sendSlowly(impatient, body, 200_000)]);
  await untilWaiting(pool, 2);
  await blocker.query("select pg_sleep(1.5)"); // longer than LODGE_INGEST_IDLE_SECONDS
  await blocker.query("commit");
  blocker.release();
  for (const answer of await waiting) assert.equal(answer?.status, 200, `${answer?.text}`);
  assert.deepEqual(await impatient.reportIds(), ["r"]);
  await assertStoreIsWhole(impatient.deps, impatient.deps.config.dataDir);
});

test("a part whose last byte fills the parser's buffer does not stall it", async () => {
  const { pool } = door.deps;
  const blocker = await pool.connect();
  await blocker.query(begin);
  await blocker.query("lock table events in access exclusive mode"); // so that the part is not read yet
  const attachment = Buffer.alloc(65_536, "x");
  attachment[65_535] = 0x0d; // could be the start of a boundary
  const attachments = [declare("a", attachment), declare("b", "bytes")];
  const body = encodeForm([
    envelopePart({ reportId: "r", attachments }),
    { name: "a", body: attachment },
    { name: "b", body: "bytes" },
  ]);
  const last = body.indexOf("x\r\r\n--") + 1;
  await using connection = await openConnection(door.url);
  await connection.send(withLength(body.length));
  const boundaryEnd = last + 1 + `\r\n--${formBoundary}\r\n`.length;
  for (const [from, to] of [
    [0, last],
    [last, last + 1],
    [last + 1, boundaryEnd],
    [boundaryEnd, body.length],
  ] as const) {
    await connection.send(body.subarray(from, to));
    await door.request("GET", "/healthz"); // once it answers, the bytes have been read
  }
  await blocker.query("commit");
  blocker.release();
  assert.equal((await connection.answer())?.status, 200);
  await whole();
});

/** Sends the first bytes of a body, and the rest as soon as the server reads on. */
async function sendSlowly({ url, lines }: Door, body: Uint8Array, first: number) {
  await using connection = await openConnection(url);
  await connection.send(ingestHead([...lines, `Content-Length: ${body.length}`]));
  await connection.send(body.subarray(0, first));
  await connection.send(body.subarray(first));
  return await connection.answer();
}

test("one connection serves request after request, whatever the answers", async () => {
  await using connection = await openConnection(door.url);
  const bodies: [Buffer, number][] = [
    [encodeForm(report("r")), 200],
    [encodeForm(report("r")), 200],
    [encodeForm([]), 400],
    [Buffer.alloc(0), 400],
    [
      encodeForm([
        { name: "envelope", body: "{" },
        { name: "a", body: randomBytes(300_000) },
      ]),
      400,
    ],
    [
      encodeForm([
        { name: "envelope", body: Buffer.alloc(6_000_000, " ") },
        { name: "a", body: randomBytes(300_000) },
      ]),
      400,
    ],
    [encodeForm([...report("s").slice(0, 1), { name: "c", body: randomBytes(3_000_000) }]), 400],
    [encodeForm([...report("r").slice(0, 1), { name: "c", body: randomBytes(3_000_000) }]), 200],
    [encodeForm(report("t"), { final: false }), 400],
    [encodeForm(report("u"), { epilogue: "x".repeat(100_000) }), 200],
    [encodeForm(report("v"), { preamble: "x".repeat(100_000) }), 400],
    [encodeForm(report("w"), { preamble: `${"x".repeat(100_000)}\r\n` }), 200],
    [encodeForm(report("x")), 200],
  ];
  for (const [index, [body, status]] of bodies.entries()) {
    await connection.send(withLength(body.length));
    await connection.send(body);
    const answer = await connection.answer();
    assert.equal(answer?.status, status, `${index}: ${answer?.text}`);
  }
  // Refused before any of the body was read.
  for (const key of ["", "Bearer nonsense"]) {
    await connection.send(
      ingestHead([`Authorization: ${key}`, "Content-Type: multipart/form-data; boundary=b", "Content-Length: 1000000"]),
    );
    await connection.send(Buffer.alloc(1_000_000));
    assert.equal((await connection.answer())?.status, 401);
  }
  const last = encodeForm(report("y"));
  await connection.send(
    Buffer.concat([Buffer.from(withLength(last.length)), last, Buffer.from(withLength(last.length)), last]),
  );
  const pipelined = [await connection.answer(), await connection.answer()]; // handled at the same time
  assert.deepEqual(pipelined.map((answer) => answer?.body.idempotent).sort(), [false, true]);
  await whole();
});

test("a client that sends its whole body before it reads still gets the answer", async () => {
  const large = Buffer.alloc(20_000_000, "x");
  const original = await door.submit([envelopePart({ reportId: "r" })]);
  const refused = encodeForm([
    { name: "envelope", body: "{" },
    { name: "a", body: large },
  ]);
  const duplicate = encodeForm([envelopePart({ reportId: "r" }), { name: "a", body: large }]);
  for (const [body, status] of [
    [refused, 400],
    [duplicate, 200],
  ] as const) {
    const viaFetch = await door.post(body);
    assert.equal(viaFetch.status, status);
    const head = withLength(body.length);
    for (const [what, sent, expected, closes] of [
      ["kept alive", head, status, false],
      ["Connection: close", withLength(body.length, "Connection: close"), status, true],
      ["HTTP/1.0", head.replace("HTTP/1.1", "HTTP/1.0"), status, true],
      ["without a key", head.replace("Bearer", "Bear"), 401, false],
      [
        "without a key, Connection: close",
        withLength(body.length, "Connection: close").replace("Bearer", ""),
        401,
        true,
      ],
    ] as const) {
      await using connection = await openConnection(door.url);
      await connection.send(sent);
      await connection.send(body);
      const answer = await connection.answer();
      assert.equal(answer?.status, expected, what);
      if (expected === 200) assert.equal(answer?.body.eventId, original.body.eventId);
      if (closes) await connection.closed;
    }
  }
});

test("a connection with too large a Content-Length is closed after the answer, which has Connection: close", async () => {
  await using connection = await openConnection(door.url);
  await connection.send(withLength(100_000_000));
  await connection.send(encodeForm([{ name: "envelope", body: "{" }]));
  const answer = await connection.answer();
  assert.deepEqual([answer?.status, answer?.headers.get("connection")], [400, "close"]);
  await connection.closed;
});

test("Expect: 100-continue gets either a refusal or the request for the body", async () => {
  const body = encodeForm(report("r"));
  await using accepted = await openConnection(door.url);
  await accepted.send(withLength(body.length, "Expect: 100-continue"));
  assert.equal((await accepted.answer())?.status, 100);
  await accepted.send(body);
  assert.equal((await accepted.answer())?.status, 200);

  await door.deps.pool.query(
    "insert into suspensions (organisation_id, since, ends_on) select id, '2026-05-01', '9999-01-01' from organisations",
  );
  for (const [head, status] of [
    [withLength(body.length, "Expect: 100-continue"), 403],
    [ingestHead(["Content-Type: multipart/form-data; boundary=b", "Content-Length: 10", "Expect: 100-continue"]), 401],
  ] as const) {
    await using refused = await openConnection(door.url);
    await refused.send(head);
    const answer = await refused.answer();
    assert.equal(answer?.status, status);
    await refused.closed;
  }
});

test("an Expect header with another value is ignored", async () => {
  const body = encodeForm(report("r"));
  await using connection = await openConnection(door.url);
  await connection.send(Buffer.concat([Buffer.from(withLength(body.length, "Expect: miracles")), body]));
  assert.equal((await connection.answer())?.status, 200);
});

test("every request is logged, however its connection ended", async () => {
  const { log, lines } = logIntoMemory();
  await using logged = await startDoor({}, { log });
  const heads = { announced: "Content-Length: 100000000", cut: "Content-Length: 1000" };
  for (const length of Object.values(heads)) {
    await using connection = await openConnection(logged.url);
    await connection.send(ingestHead([...logged.lines, length]));
    if (length === heads.cut) connection.reset();
    else {
      await connection.send(encodeForm([envelopePart({ reportId: "r" })]));
      await connection.answer();
    }
  }
  const answered = () => lines().flatMap(({ msg, status }) => (msg === "answered" ? [status] : []));
  await until(async () => answered().length === 2);
  assert.deepEqual(answered().sort(), [413, 499]);
});

test("curl, which expects 100-continue above 1 MB, gets its answer", async () => {
  const file = join(door.deps.config.dataDir, "upload");
  const curl = async (attachment: Uint8Array, key: string, declared = declare("shot", attachment)) => {
    await writeFile(file, attachment);
    const envelope = JSON.stringify({ reportId: "curl", attachments: [declared] });
    const args = ["-sS", "-w", "\n%{http_code}", "-H", `Authorization: Bearer ${key}`, "-H", "Expect: 100-continue"];
    const { stdout } = await promisify(execFile)("curl", [
      ...args,
      ...["-F", `envelope=${envelope.replaceAll('"', '\\"').replace(/^/, '"')}";type=application/json`],
      ...["-F", `shot=@${file};type=image/png`],
      `${door.url}/api/ingest`,
    ]);
    const [text = "", status] = stdout.split("\n");
    return [Number(status), JSON.parse(text).error];
  };
  assert.deepEqual(await curl(randomBytes(3_000_000), door.key), [200, undefined]);
  assert.deepEqual(await curl(randomBytes(3_000_000), "nobody"), [401, "invalid_sdk_key"]);
  assert.deepEqual(await curl(randomBytes(30_000_000), door.key), [200, undefined], "a duplicate");
  await door.deps.db.deleteFrom("report_ids").execute();
  assert.deepEqual(await curl(randomBytes(30_000_000), door.key), [413, "attachment_too_large"]);
  assert.deepEqual(await curl(randomBytes(26_000_000), door.key), [413, "payload_too_large"]);
});

test("malformed multipart is refused", async () => {
  const fine = encodeForm(report("r")).toString("latin1");
  const b = formBoundary;
  for (const [what, body] of [
    ["text", "hello"],
    ["one line break", "\r\n"],
    ["a boundary alone", `--${b}`],
    ["a boundary without a part", `--${b}\r\n`],
    ["another boundary", fine.replaceAll(b, "another")],
    ["line breaks without carriage return", fine.replaceAll("\r\n", "\n")],
    ["a part without headers", `--${b}\r\n\r\n{}\r\n--${b}--\r\n`],
    ["a part without a name", encodeForm([{ headers: ["Content-Disposition: form-data"], body: "" }])],
    ["a file name alone", encodeForm([{ headers: ['Content-Disposition: form-data; filename="a"'], body: "" }])],
    [
      "another disposition",
      encodeForm([{ headers: ['Content-Disposition: attachment; name="envelope"'], body: "{}" }]),
    ],
    [
      "a name without an end",
      encodeForm([{ headers: ['Content-Disposition: form-data; name="envelope'], body: "{}" }]),
    ],
    ["headers that do not end", `--${b}\r\nContent-Disposition: form-data; name="envelope"\r\n--${b}--\r\n`],
    ["a nameless part after the envelope", encodeForm([...report("r"), { headers: ["Content-Type: a/b"], body: "" }])],
    ["a part that headers do not end of", fine.replace(`--${b}--`, `--${b}\r\nContent-Disposition: x\r\n--${b}--`)],
    [
      "headers above 8 KiB before the name",
      encodeForm([
        { headers: [`X: ${"x".repeat(9_000)}`, 'Content-Disposition: form-data; name="envelope"'], body: "{}" },
      ]),
    ],
    ["a name above 8 KiB", encodeForm([{ name: "n".repeat(9_000), body: "{}" }])],
    [
      "a hundred headers before the name",
      encodeForm([
        {
          headers: [
            ...Array.from({ length: 100 }, (_, index) => `X-${index}: x`),
            'Content-Disposition: form-data; name="envelope"',
          ],
          body: "{}",
        },
      ]),
    ],
    [
      "a header without a colon before the name",
      encodeForm([{ headers: ["nonsense", 'Content-Disposition: form-data; name="envelope"'], body: "{}" }]),
    ],
  ] as const) {
    const { status, body: answer } = await door.post(Buffer.from(body as string, "latin1"));
    assert.deepEqual([status, answer.error], [400, "invalid_multipart"], what);
    await assertNothingKept(door);
  }
});

test("a content type other than multipart/form-data is no_parts; one without a usable boundary is invalid_multipart", async () => {
  const body = encodeForm(report("r"));
  for (const [contentType, error] of [
    ["application/json", "no_parts"],
    ["multipart/mixed; boundary=b", "no_parts"],
    ["multipart/form-data-not; boundary=b", "no_parts"],
    ["text/plain", "no_parts"],
    ["nonsense", "no_parts"],
    ["/;;=", "no_parts"],
    ["multipart/form-data", "invalid_multipart"],
    ["multipart/form-data;", "invalid_multipart"],
    ["multipart/form-data; boundary", "invalid_multipart"],
    ["multipart/form-data; boundary=", "invalid_multipart"],
    ['multipart/form-data; boundary=""', "invalid_multipart"],
    [`multipart/form-data; boundary=${"b".repeat(71)}`, "invalid_multipart"],
    [`multipart/form-data; boundary=${"b".repeat(5_000)}`, "invalid_multipart"],
  ] as const) {
    const { status, body: answer } = await door.post(body, { "content-type": contentType });
    assert.deepEqual([status, answer.error], [400, error], contentType);
  }
  await using untyped = await openConnection(door.url);
  await untyped.send(ingestHead([`Authorization: Bearer ${door.key}`, `Content-Length: ${body.length}`]));
  await untyped.send(body);
  assert.equal((await untyped.answer())?.body.error, "no_parts");
  await assertNothingKept(door);
});

test("boundaries may contain every allowed character", async () => {
  const odd = "'()+_,-./:=? 0aZ";
  for (const [index, [boundary, contentType]] of (
    [
      [odd, `multipart/form-data; boundary="${odd}"`],
      ["plain", "multipart/form-data; boundary=plain"],
      ["plain", "multipart/form-data; charset=utf-8; boundary=plain"],
      ["plain", "multipart/form-data; boundary=plain; charset=utf-8"],
      ["plain", "Multipart/Form-Data;BOUNDARY=plain"],
      ["--", "multipart/form-data; boundary=--"],
      ["-", "multipart/form-data; boundary=-"],
      ["b".repeat(70), `multipart/form-data; boundary=${"b".repeat(70)}`],
    ] as const
  ).entries()) {
    const answer = await door.submit(report(`${index}`), { boundary }, { "content-type": contentType });
    assert.equal(answer.status, 200, `${contentType}: ${answer.text}`);
  }
  await whole();
});

test("a preamble, an epilogue and a missing final line break are accepted", async () => {
  for (const [index, options] of [
    { preamble: "This is a message in MIME format.\r\n" },
    { preamble: "\r\n" },
    { epilogue: "" },
    { epilogue: "\r\nThis is the epilogue." },
    { epilogue: `\r\n--${formBoundary}\r\nContent-Disposition: form-data; name="late"\r\n\r\nlate` },
    { epilogue: `\r\n--${formBoundary}--\r\n--${formBoundary}` },
  ].entries()) {
    const answer = await door.submit(report(`${index}`), options);
    assert.equal(answer.status, 200, `${JSON.stringify(options)}: ${answer.text}`);
  }
  await whole();
});

test("bytes that are not HTTP are refused in JSON, and nothing of them is kept", async () => {
  const body = encodeForm(report("r"));
  for (const wrong of [
    "nonsense\r\n\r\n",
    ingestHead([...door.lines, "Content-Length: 10", "Transfer-Encoding: chunked"]),
    ingestHead([...door.lines, "Content-Length: -1"]),
    ingestHead([...door.lines, "Content-Length: 10, 20"]),
    ingestHead([...door.lines, `X: ${"x".repeat(20_000)}`]),
    Buffer.concat([
      Buffer.from(ingestHead([...door.lines, "Transfer-Encoding: chunked"])),
      chunked(body.subarray(0, 2_500)),
      Buffer.from("nonsense\r\n"),
    ]),
  ]) {
    await using connection = await openConnection(door.url);
    await connection.send(wrong);
    const answer = await connection.answer();
    assert.deepEqual([answer?.status, answer?.body.error], [400, "bad_request"], wrong.toString().slice(-40));
    assert.match(String(answer?.body.message), wrong.length > 10_000 ? /larger than 16 KiB/ : /not well-formed HTTP/);
    await connection.closed;
  }
  await until(async () => (await refusalCount()) === 1);
  await assertNothingKept(door);
});

test("a node:http request that is answered early can continue on the same connection", async () => {
  const send = (body: Buffer) =>
    new Promise<number>((resolve, reject) => {
      const request = httpRequest(`${door.url}/api/ingest`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${door.key}`,
          "content-type": `multipart/form-data; boundary="${formBoundary}"`,
          "content-length": body.length,
        },
      });
      request.on("response", (response) => response.resume().on("end", () => resolve(response.statusCode ?? 0)));
      request.on("error", reject);
      request.end(body);
    });
  for (let round = 0; round < 20; round += 1) {
    assert.equal(
      await send(
        encodeForm([
          { name: "envelope", body: "{" },
          { name: "a", body: Buffer.alloc(500_000) },
        ]),
      ),
      400,
    );
    assert.equal(await send(encodeForm(report("r"))), 200);
  }
});
