import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { contentDigest, declare, envelopePart, type FormPart } from "../../testing/encode-form.ts";
import { randomNumber } from "../../testing/random.ts";
import { type Door, startDoor, storedFiles } from "../../testing/start-door.ts";

let door: Door;
let reports = 0;
before(async () => {
  door = await startDoor();
});
after(() => door[Symbol.asyncDispose]());

function newReportId() {
  reports += 1;
  return `report-${reports}`;
}

/** Submits envelopes as text or bytes, unchanged. */
const submitRaw = (body: string | Uint8Array, headers: readonly string[] = []) =>
  door.submit([{ name: "envelope", headers, body }]);

/** The paths of the errors of a refused envelope, from `details`. */
async function paths(envelope: unknown): Promise<string[]> {
  const parts: FormPart[] = [envelopePart(envelope)];
  const { status, body } = await door.submit(parts);
  assert.deepEqual([status, body.error], [400, "schema_validation_failed"], JSON.stringify([envelope, body]));
  const details = body.details as { path: string; message: string }[];
  for (const { message } of details) assert.ok(message.length > 0);
  return details.map(({ path }) => path).sort();
}

async function accepts(fields: Record<string, unknown>) {
  const { status, text } = await door.submit([envelopePart({ reportId: newReportId(), ...fields })]);
  assert.equal(status, 200, `${JSON.stringify(fields).slice(0, 200)}: ${text}`);
}

const text = (length: number) => "x".repeat(length);
const hash = "0".repeat(64);
const attachment = { partName: "a", sha256: hash, byteLength: 0 };
const crumb = { at: "2026-05-01T10:00:00Z", category: "ui", message: "clicked" };

test("an envelope needs only a reportId", async () => {
  await accepts({});
  assert.deepEqual(await paths({}), ["/reportId"]);
});

test("an envelope may have every field", async () => {
  await accepts({
    attachments: [],
    kind: "crash",
    title: text(200),
    message: text(20_000),
    occurredAt: "2026-05-01T10:00:00.123+02:00",
    installId: text(100),
    user: { id: "1", email: "ada@acme.test", name: "Ada", more: true },
    app: { version: "1", build: "2", environment: "test", release: "3" },
    device: { model: "m", os: "o", osVersion: "1", locale: "en", screen: "1x1", userAgent: "u" },
    sdk: { name: "web", version: "1" },
    error: { type: "TypeError", message: "m", stack: "s" },
    breadcrumbs: Array.from({ length: 200 }, () => ({ ...crumb, level: "info", data: { anything: [null] } })),
    tags: Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`tag ${index}`, "value"])),
    context: { deep: { er: [1, "2", null] } },
    dropped: [
      { partName: "video", reason: "too large", byteLength: 1 },
      { partName: "log", reason: "rate" },
    ],
  });
});

test("each invalid field is named by its path", async () => {
  const wrong: [field: string, value: unknown, ...paths: string[]][] = [
    ["reportId", "", "/reportId"],
    ["reportId", text(201), "/reportId"],
    ["reportId", 1, "/reportId"],
    ["reportId", null, "/reportId"],
    ["reportId", "a\u0000b", "/reportId"],
    ["reportId", "a\ud800b", "/reportId"],
    ["attachments", {}, "/attachments"],
    ["attachments", null, "/attachments"],
    ["attachments", Array.from({ length: 6 }, (_, index) => ({ ...attachment, partName: `${index}` })), "/attachments"],
    ["attachments", ["a"], "/attachments/0"],
    ["attachments", [{}], "/attachments/0/byteLength", "/attachments/0/partName", "/attachments/0/sha256"],
    ["attachments", [{ ...attachment, partName: "" }], "/attachments/0/partName"],
    ["attachments", [{ ...attachment, partName: text(101) }], "/attachments/0/partName"],
    ["attachments", [{ ...attachment, partName: "envelope" }], "/attachments/0/partName"],
    ["attachments", [attachment, { ...attachment, byteLength: 1 }], "/attachments/1/partName"],
    ["attachments", [{ ...attachment, sha256: "0".repeat(63) }], "/attachments/0/sha256"],
    ["attachments", [{ ...attachment, sha256: "g".repeat(64) }], "/attachments/0/sha256"],
    ["attachments", [{ ...attachment, sha256: `${hash}\n` }], "/attachments/0/sha256"],
    ["attachments", [{ ...attachment, byteLength: -1 }], "/attachments/0/byteLength"],
    ["attachments", [{ ...attachment, byteLength: 0.5 }], "/attachments/0/byteLength"],
    ["attachments", [{ ...attachment, byteLength: "0" }], "/attachments/0/byteLength"],
    ["attachments", [{ ...attachment, byteLength: 1e300 }], "/attachments/0/byteLength"],
    ["attachments", [{ ...attachment, filename: text(256) }], "/attachments/0/filename"],
    ["attachments", [{ ...attachment, contentType: text(256) }], "/attachments/0/contentType"],
    ["attachments", [{ ...attachment, kind: "video" }], "/attachments/0/kind"],
    ["kind", "Bug", "/kind"],
    ["kind", null, "/kind"],
    ["title", text(201), "/title"],
    ["title", ["t"], "/title"],
    ["message", text(20_001), "/message"],
    ["occurredAt", "yesterday", "/occurredAt"],
    ["occurredAt", "2026-05-01", "/occurredAt"],
    ["occurredAt", "2026-05-01T10:00:00", "/occurredAt"],
    ["occurredAt", "2026-02-30T10:00:00Z", "/occurredAt"],
    ["occurredAt", "2026-05-01T25:00:00Z", "/occurredAt"],
    ["installId", "", "/installId"],
    ["installId", text(101), "/installId"],
    ["user", "Ada", "/user"],
    ["user", { email: 1 }, "/user/email"],
    ["app", { version: 1 }, "/app/version"],
    ["device", { os: null }, "/device/os"],
    ["sdk", { name: "web" }, "/sdk/version"],
    ["error", { type: "E" }, "/error/message"],
    ["error", { type: "E", message: "m", stack: [] }, "/error/stack"],
    ["breadcrumbs", Array.from({ length: 201 }, () => crumb), "/breadcrumbs"],
    ["breadcrumbs", [{ ...crumb, at: "now" }], "/breadcrumbs/0/at"],
    ["breadcrumbs", [crumb, { at: crumb.at }], "/breadcrumbs/1/category", "/breadcrumbs/1/message"],
    ["tags", Object.fromEntries(Array.from({ length: 51 }, (_, index) => [`${index}`, ""])), "/tags"],
    ["tags", { a: 1 }, "/tags/a"],
    ["tags", { "a\nb": 1 }, "/tags/a\nb"],
    ["tags", { "a/b~c": 1 }, "/tags/a~1b~0c"],
    ["tags", [], "/tags"],
    ["context", [], "/context"],
    ["context", "x", "/context"],
    ["dropped", [{ partName: "a" }], "/dropped/0/reason"],
    ["dropped", [{ partName: "a", reason: "r", byteLength: -1 }], "/dropped/0/byteLength"],
    ["reportID", "x", "/reportID"],
    ["a/b~c", "x", "/a~1b~0c"],
    ["", "x", "/"],
    ["constructor", "x", "/constructor"],
  ];
  for (const [field, value, ...expected] of wrong) {
    assert.deepEqual(await paths({ reportId: newReportId(), [field]: value }), expected, field);
  }
  for (const envelope of [null, true, 1, "envelope", []]) assert.deepEqual(await paths(envelope), [""]);
  assert.deepEqual(await paths({ title: 1, kind: 2 }), ["/kind", "/reportId", "/title"]);
});

test("timestamps follow RFC 3339", async () => {
  for (const occurredAt of [
    "2024-02-29T00:00:00Z",
    "2026-05-01T10:00:00.123456789Z",
    "2026-05-01T10:00:00-23:59",
    "2026-05-01t10:00:00z",
  ]) {
    await accepts({ occurredAt });
  }
});

test("lengths are counted in code points", async () => {
  const astral = "😀";
  const combined = "e\u0301"; // one character to a reader, two code points
  await accepts({ reportId: astral.repeat(200) });
  await accepts({ title: astral.repeat(200), message: astral.repeat(20_000), installId: astral.repeat(100) });
  await accepts({ title: combined.repeat(100) });
  assert.deepEqual(await paths({ reportId: astral.repeat(201) }), ["/reportId"]);
  assert.deepEqual(await paths({ reportId: newReportId(), title: combined.repeat(101) }), ["/title"]);
  assert.deepEqual(await paths({ reportId: newReportId(), message: combined.repeat(10_001) }), ["/message"]);
});

test("an unknown field is refused even if JavaScript objects have a property of that name", async () => {
  for (const key of ["__proto__", "toString", "hasOwnProperty"]) {
    const { status, body } = await submitRaw(`{"reportId":"${newReportId()}","${key}":{"kind":"crash"}}`);
    assert.deepEqual([status, body.error], [400, "schema_validation_failed"]);
    assert.deepEqual(
      (body.details as { path: string }[]).map(({ path }) => path),
      [`/${key}`],
    );
  }
  const inherited = await submitRaw(`{"__proto__":{"reportId":"${newReportId()}"}}`);
  assert.deepEqual((inherited.body.details as { path: string }[]).map(({ path }) => path).sort(), [
    "/__proto__",
    "/reportId",
  ]);
});

test("an envelope with very many unknown fields is refused with a short list", async () => {
  const strange = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`key ${index}`, index]));
  const found = await paths({ reportId: newReportId(), ...strange });
  assert.ok(found.length >= 1 && found.length <= 8, found.join());
});

test("strings that a database cannot hold are kept as they were sent", async () => {
  const reportId = newReportId();
  const json = `{"reportId":"${reportId}","title":"a\\u0000b","message":"\\ud800","tags":{"\\u0000":"\\udfff"}, "context" : {"__proto__": 1}}`;
  const bytes = "screenshot";
  const declared = { ...declare("a\u0000\ud800", bytes), filename: "f\u0000\ud800", contentType: "t\u0000" };
  const withAttachment = `${json.slice(0, -1)},"attachments":[${JSON.stringify(declared)}]}`;
  // The part's name cannot be sent, since it has no UTF-8 form.
  assert.equal((await submitRaw(withAttachment)).body.error, "attachment_missing");
  const sendable = withAttachment.replace('"a\\u0000\\ud800"', '"shot"').replace('"a\u0000\\ud800"', '"shot"');
  const { status, body } = await door.submit([
    { name: "envelope", body: sendable },
    { name: "shot", body: bytes },
  ]);
  assert.equal(status, 200, JSON.stringify(body));
  const event = await door.deps.db
    .selectFrom("events")
    .select("envelope")
    .where("report_id", "=", reportId)
    .executeTakeFirstOrThrow();
  assert.equal(event.envelope.toString(), sendable);
  const artifact = await door.deps.db
    .selectFrom("artifacts")
    .selectAll()
    .where("event_id", "=", String(body.eventId))
    .executeTakeFirstOrThrow();
  assert.deepEqual([artifact.filename, artifact.content_type], ["f\uFFFD\uFFFD", "t\uFFFD"]);
});

test("the stored envelope is byte for byte what was sent", async () => {
  for (const odd of [
    '\uFEFF{"reportId":"ID"}',
    ' \r\n\t{ "reportId" : "ID" , "title" : "\\u00e9\\/é" }\n\n',
    '{"reportId":"first","reportId":"ID"}',
    '{"reportId":"ID","context":{"n":1.0,"big":12345678901234567890,"e":1E400,"-0":-0}}',
    '{"reportId":"\\u0049D"}',
  ]) {
    const reportId = newReportId();
    const sent = Buffer.from(odd.replace(/ID|\\u0049D/, reportId));
    for (const body of [sent, gzipSync(sent)]) assert.equal((await submitRaw(body)).status, 200);
    const event = await door.deps.db
      .selectFrom("events")
      .select("envelope")
      .where("report_id", "=", reportId)
      .executeTakeFirst();
    assert.deepEqual(event?.envelope, sent);
  }
});

test("anything but JSON in UTF-8 is refused", async () => {
  for (const wrong of [
    "",
    " ",
    "{",
    "nope",
    '{"reportId":"a",}',
    "{'reportId':'a'}",
    '{"reportId":"a"} {}',
    '{"reportId":"a\u0000"}',
    Buffer.from('{"reportId":"\xff"}', "latin1"),
    Buffer.from('{"reportId":"\xed\xa0\x80"}', "latin1"),
    Buffer.from('{"reportId":"a"}', "utf16le"),
    "[".repeat(50_000),
  ]) {
    const { status, body } = await submitRaw(wrong);
    assert.deepEqual([status, body.error], [400, "envelope_invalid_json"], String(wrong).slice(0, 40));
  }
});

test("50,000 nested arrays are accepted like any other value", async () => {
  const nested = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
  const wrong = await submitRaw(nested);
  assert.deepEqual([wrong.status, wrong.body.error], [400, "schema_validation_failed"]);
  const objects = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
  assert.equal((await submitRaw(`{"reportId":"${newReportId()}","context":{"a":${nested}}}`)).status, 200);
  assert.equal((await submitRaw(`{"reportId":"${newReportId()}","context":${objects}}`)).status, 200);
  assert.equal((await submitRaw(`{"reportId":"${newReportId()}","tags":{"a":${nested}}}`)).status, 400);
});

test("objects and arrays may be nested at most 100,000 levels deep", async () => {
  for (const [open, close] of [
    ["[", "]"],
    ['{"[":', "}"],
  ] as const) {
    const nested = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
    const envelope = (depth: number) => `{"reportId":"${newReportId()}","context":{"a":${nested(depth - 2)}}}`;
    assert.equal((await submitRaw(envelope(100_000))).status, 200);
    const { body } = await submitRaw(envelope(100_001));
    const message = "must not have objects and lists nested more than 100000 deep";
    assert.deepEqual([body.error, body.details], ["schema_validation_failed", [{ path: "", message }]]);
  }
});

test("an envelope may have at most 200,000 values of any type", async () => {
  for (const value of ["{}", "[ ]", "1", '"a,\\"[{"', "null", '{"a":[]}', "[[[1,2]]]"]) {
    const each = value === '{"a":[]}' ? 2 : value === "[[[1,2]]]" ? 5 : 1;
    const envelope = (values: number, last: string) =>
      `{"reportId":"${newReportId()}","context":{"a":[${`${value},`.repeat(values / each)}${last}]}}`;
    const others = 4; // the envelope, its reportId, the context and the list
    const count = Math.floor((200_000 - others - 1) / each) * each;
    const rest = 200_000 - others - count;
    const last = Array.from({ length: rest }, () => "0").join();
    const { status, text } = await submitRaw(envelope(count, last));
    assert.equal(status, 200, `${value}: ${text}`);
    for (const body of [envelope(count, `${last},0`), gzipSync(envelope(count, `${last},{}`))]) {
      const { body: answer } = await submitRaw(body);
      assert.deepEqual(
        [answer.error, answer.details],
        ["schema_validation_failed", [{ path: "", message: "must have at most 200000 values in all" }]],
        value,
      );
    }
  }
});

test("an envelope may be gzipped, marked by either content type or only by its first bytes", async () => {
  for (const contentType of [
    "application/gzip",
    "application/json+gzip",
    "Application/GZip; level=9",
    "application/json",
    undefined,
  ]) {
    const zipped = gzipSync(JSON.stringify({ reportId: newReportId() }));
    const { status, text } = await submitRaw(zipped, contentType ? [`Content-Type: ${contentType}`] : []);
    assert.equal(status, 200, `${contentType}: ${text}`);
  }
  const members = [`{"reportId":`, `"${newReportId()}"}`].map((half) => gzipSync(half));
  assert.equal((await submitRaw(Buffer.concat(members))).status, 200, "two members");
  const padded = Buffer.concat([gzipSync(`{"reportId":"${newReportId()}"}`), Buffer.alloc(300_000)]);
  assert.equal((await submitRaw(padded)).status, 200, "zeros after the last member");
});

test("gzip that cannot be inflated is refused", async () => {
  const zipped = gzipSync(JSON.stringify({ reportId: newReportId(), message: randomNumber().toString(36).repeat(50) }));
  const flipped = Buffer.from(zipped);
  flipped.writeUInt8(flipped.readUInt8(flipped.length - 6) ^ 0xff, flipped.length - 6); // the checksum
  for (const [what, bytes, ...headers] of [
    ["truncated", zipped.subarray(0, -1)],
    ["cut in the middle", zipped.subarray(0, zipped.length / 2)],
    ["a header alone", zipped.subarray(0, 10)],
    ["magic bytes alone", zipped.subarray(0, 2)],
    ["a wrong checksum", flipped],
    ["followed by something else", Buffer.concat([zipped, Buffer.from("more")])],
    ["JSON that is called gzip", Buffer.from('{"reportId":"a"}'), "Content-Type: application/gzip"],
    ["nothing that is called gzip", Buffer.alloc(0), "Content-Type: application/gzip"],
    ["twice gzipped", gzipSync(zipped)],
  ] as [string, Buffer, ...string[]][]) {
    const { status, body } = await submitRaw(bytes, headers);
    assert.deepEqual([status, body.error], [400, "envelope_invalid_json"], what);
  }
});

test("an envelope may have at most 5 MB after decompression", async () => {
  const limit = 5_000_000;
  const padded = (length: number) => {
    const json = JSON.stringify({ reportId: newReportId() });
    return Buffer.from(json + " ".repeat(length - json.length));
  };
  assert.equal((await submitRaw(padded(limit))).status, 200);
  assert.equal((await submitRaw(gzipSync(padded(limit)))).status, 200);
  for (const [what, bytes] of [
    ["plain", padded(limit + 1)],
    ["gzipped", gzipSync(padded(limit + 1))],
    ["20 MB", Buffer.alloc(20_000_000, "x")],
    ["a bomb", gzipSync(Buffer.alloc(20_000_000, " "))],
    ["a bomb of members", Buffer.concat(Array.from({ length: 50 }, () => gzipSync(Buffer.alloc(200_000, " "))))],
  ] as const) {
    const { status, body } = await submitRaw(bytes);
    assert.deepEqual([status, body.error], [400, "envelope_too_large"], what);
  }
});

test("a part's own Content-Digest is verified", async () => {
  const json = JSON.stringify({ reportId: newReportId() });
  const zipped = gzipSync(json);
  const right = contentDigest(json);
  for (const header of [
    right,
    right.replace("Content-Digest", "content-DIGEST"),
    right.replace("sha-256", "SHA-256"),
    right.replace("sha-256", "sha-512=:AAAA:, sha-256"),
    right.replace("sha-256", "sha-256=:AAAA:, sha-256"),
    `Content-Digest: sha-512=:AAAA:\r\n${right}`,
    "Content-Digest: sha-512=:AAAA:",
    "Content-Digest: nonsense",
  ]) {
    assert.equal((await submitRaw(json, [header])).status, 200, header);
  }
  assert.equal((await submitRaw(zipped, [contentDigest(zipped)])).status, 200, "of the bytes as sent");
  for (const [bytes, header] of [
    [json, contentDigest(`${json} `)],
    [json, "Content-Digest: sha-256=::"],
    [json, "Content-Digest: sha-512=:AAAA:\r\nContent-Digest: sha-256=:AAAA:"],
    [zipped, contentDigest(json)],
  ] as const) {
    const { status, body } = await submitRaw(bytes, [header]);
    assert.deepEqual([status, body.error, body.partName], [400, "sha256_mismatch", "envelope"]);
  }
  const shot = "a screenshot";
  const parts = (header: string): FormPart[] => [
    envelopePart({ reportId: newReportId(), attachments: [declare("shot", shot)] }),
    { name: "shot", headers: [header], body: shot },
  ];
  assert.equal((await door.submit(parts(contentDigest(shot)))).status, 200);
  for (const order of [(list: FormPart[]) => list, (list: FormPart[]) => list.reverse()]) {
    const { status, body } = await door.submit(order(parts(contentDigest("another"))));
    assert.deepEqual([status, body.error, body.partName], [400, "sha256_mismatch", "shot"]);
  }
});

test("only accepted reports are in the store", async () => {
  const artifacts = await door.deps.db.selectFrom("artifacts").select("store_key").execute();
  assert.equal((await storedFiles(door.deps.config.dataDir)).length, artifacts.length);
});
