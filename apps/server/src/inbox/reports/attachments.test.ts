import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { declare, encodeForm, envelopePart, type FormPart } from "../../testing/encode-form.ts";
import { randomBytes } from "../../testing/random.ts";
import { assertNothingKept, assertStoreIsWhole, type Door, startDoor, storedFiles } from "../../testing/start-door.ts";

let door: Door;
beforeEach(async () => {
  door = await startDoor();
});
afterEach(() => door[Symbol.asyncDispose]());

const bytes = randomBytes(200_000);
const report = (reportId: string, ...names: string[]): FormPart[] => [
  envelopePart({ reportId, attachments: names.map((name) => declare(name, bytes)) }),
  ...names.map((name) => ({ name, body: bytes })),
];
const part = (name: string): FormPart => ({ name, body: bytes });
const whole = () => assertStoreIsWhole(door.deps, door.deps.config.dataDir);

/** Submits parts that must be refused, in both orders, and checks that nothing is kept. */
async function refused(parts: readonly FormPart[], status: number, error: string, partName?: string) {
  for (const order of [parts, parts.toReversed()]) {
    const answer = await door.submit(order);
    const names = order.map(({ name }) => name).join();
    assert.deepEqual([answer.status, answer.body.error, answer.body.partName], [status, error, partName], names);
    assert.equal(typeof answer.body.message, "string");
    assert.equal(answer.headers.get("content-type"), "application/json; charset=utf-8");
    await assertNothingKept(door);
  }
}

test("a report with five attachments becomes an event with five artifacts", async () => {
  const names = ["one", "two", "three", "four", "five"];
  const attachments = names.map((name) => ({
    ...declare(name, bytes),
    filename: `${name}.png`,
    contentType: "image/png",
  }));
  const { status, body } = await door.submit([
    envelopePart({ reportId: "r", attachments }),
    ...names.map((name) => ({ name, body: bytes })).reverse(),
  ]);
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(body).sort(), ["deliveryCount", "eventId", "idempotent", "status"]);
  assert.deepEqual([body.status, body.deliveryCount, body.idempotent], ["received", 0, false]);
  const artifacts = await door.deps.db.selectFrom("artifacts").selectAll().orderBy("position").execute();
  assert.deepEqual(
    artifacts.map((row) => [row.position, row.part_name, row.filename, row.content_type, row.event_id, row.app_id]),
    names.map((name, index) => [index, name, `${name}.png`, "image/png", body.eventId, door.appId]),
  );
  await whole();
});

test("parts may come in any order", async () => {
  const [envelope, ...attachments] = report("r", "a", "b") as [FormPart, FormPart, FormPart];
  for (const [index, order] of [
    [envelope, ...attachments],
    [attachments[1], envelope, attachments[0]],
    [attachments[1], attachments[0], envelope],
  ].entries()) {
    const own = { ...envelope, body: String(envelope.body).replace('"r"', `"r${index}"`) };
    const { status, text } = await door.submit(order.map((part) => (part === envelope ? own : part) as FormPart));
    assert.equal(status, 200, text);
  }
  await whole();
});

test("an attachment may be empty", async () => {
  const parts = [envelopePart({ reportId: "r", attachments: [declare("a", ""), declare("b", "")] })];
  parts.push({ name: "a", body: "" }, { name: "b", body: "" });
  for (const [reportId, order] of [
    ["r", parts],
    ["s", parts.toReversed()],
  ] as const) {
    const own = order.map((part) => ({ ...part, body: String(part.body).replace('"r"', `"${reportId}"`) }));
    assert.equal((await door.submit(own)).status, 200);
  }
  await whole();
});

test("a declared hash may have either letter case, and an attachment may contain what looks like a boundary or gzip", async () => {
  for (const [reportId, body] of [
    ["a", "\r\n----a-test's-for"],
    ["b", "--\r\n--\r\n----a-test's-form"],
    ["c", gzipSync("not inflated")],
    ["d", "\r\n"],
    ["e", "\r"],
    ["f", `${"\r".repeat(70_000)}\r\n-`],
  ] as const) {
    const declared = declare("a", body);
    const attachments = [{ ...declared, sha256: declared.sha256.toUpperCase() }];
    const answer = await door.submit([envelopePart({ reportId, attachments }), { name: "a", body }]);
    assert.equal(answer.status, 200, `${reportId}: ${answer.text}`);
  }
  await whole();
});

test("names of parts are UTF-8, escaped as browsers or curl do", async () => {
  const sent: [partName: string, disposition: string][] = [
    ["Bildschirmfoto – ü 😀", 'form-data; name="Bildschirmfoto – ü 😀"'],
    ['a "quoted" name', 'form-data; name="a %22quoted%22 name"'],
    ['a "quoted" name', 'form-data; name="a \\"quoted\\" name"'],
    ["back\\slash", 'form-data; name="back\\\\slash"'],
    ["back\\slash", 'form-data; name="back\\slash"'],
    ["line\r\nbreak", 'form-data; name="line%0D%0Abreak"'],
    ["100% ok", 'form-data; name="100% ok"'],
    ["plain", "form-data; name=plain"],
    ["first", 'form-data; name="first"; filename="x; name=second"'],
    ["last", 'form-data; filename="x; name=second; \\"name=third"; name="last"'],
    ["cased", 'Form-Data; NAME="cased"'],
    ["spaced", 'form-data ;name="spaced" ; filename=x'],
    ["n".repeat(100), `form-data; name="${"n".repeat(100)}"`],
  ];
  for (const [index, [partName, disposition]] of sent.entries()) {
    const answer = await door.submit([
      envelopePart({ reportId: `${index}`, attachments: [declare(partName, "bytes")] }),
      { headers: [`Content-Disposition: ${disposition}`, "Content-Type: text/plain"], body: "bytes" },
    ]);
    assert.equal(answer.status, 200, `${disposition}: ${answer.text}`);
  }
  const rows = await door.deps.db.selectFrom("artifacts").select("part_name").execute();
  assert.deepEqual(rows.map((row) => row.part_name).sort(), sent.map(([partName]) => partName).sort());
  const form = new FormData();
  form.append("envelope", new Blob([JSON.stringify({ reportId: "form", attachments: [declare('ü "x"', "bytes")] })]));
  form.append('ü "x"', new Blob(["bytes"]), "a file.png");
  const response = await fetch(`${door.url}/api/ingest`, {
    method: "POST",
    headers: { authorization: `Bearer ${door.key}` },
    body: form,
  });
  assert.equal(response.status, 200, await response.text());
});

test("a form without parts gets no_parts", async () => {
  const { status, body } = await door.submit([]);
  assert.deepEqual([status, body.error], [400, "no_parts"]);
  const empty = await door.post("");
  assert.deepEqual([empty.status, empty.body.error], [400, "no_parts"]);
  const nothing = await door.post(undefined);
  assert.deepEqual([nothing.status, nothing.body.error], [400, "no_parts"]);
  await assertNothingKept(door);
});

test("parts without an envelope get envelope_part_missing", async () => {
  await refused([{ name: "a", body: bytes }], 400, "envelope_part_missing");
  await refused([{ name: "Envelope", body: "{}" }], 400, "envelope_part_missing");
  await refused([..."abcdef"].map(part), 400, "envelope_part_missing");
  await refused([part("a"), part("a")], 400, "envelope_part_missing");
});

test("a declared part that was not sent gets attachment_missing", async () => {
  await refused(report("r", "a", "b").slice(0, 2), 400, "attachment_missing", "b");
  await refused(report("r", "a").slice(0, 1), 400, "attachment_missing", "a");
});

test("a part that was not declared, is sent twice or is one too many gets attachment_unexpected", async () => {
  await refused([...report("r", "a"), { name: "b", body: bytes }], 400, "attachment_unexpected", "b");
  await refused([...report("r"), { name: "b", body: "" }], 400, "attachment_unexpected", "b");
  await refused([...report("r", "a"), { name: "a", body: bytes }], 400, "attachment_unexpected", "a");
  await refused([...report("r"), { name: "", body: bytes }], 400, "attachment_unexpected", "");
  await refused([...report("r"), ...report("r")], 400, "attachment_unexpected", "envelope");
  const six = ["a", "b", "c", "d", "e"];
  await refused([...report("r", ...six), { name: "a", body: "" }], 400, "attachment_unexpected", "a");
  const seven = Array.from({ length: 6 }, (_, index) => ({ name: `p${index}`, body: "" }));
  const { body } = await door.submit([...seven, ...report("r")]);
  assert.deepEqual([body.error, body.partName], ["attachment_unexpected", "p5"]);
  await assertNothingKept(door);
});

test("bytes other than declared get bytelength_mismatch or attachment_sha256_mismatch", async () => {
  const [envelope] = report("r", "a") as [FormPart];
  const other = Buffer.from(bytes);
  other[100_000] = (other[100_000] ?? 0) ^ 1;
  await refused([envelope, { name: "a", body: bytes.subarray(1) }], 400, "bytelength_mismatch", "a");
  await refused([envelope, { name: "a", body: Buffer.concat([bytes, bytes]) }], 400, "bytelength_mismatch", "a");
  await refused([envelope, { name: "a", body: "" }], 400, "bytelength_mismatch", "a");
  await refused([envelope, { name: "a", body: other }], 400, "attachment_sha256_mismatch", "a");
  const second = [...report("r", "a", "b")];
  second[2] = { name: "b", body: other };
  await refused(second, 400, "attachment_sha256_mismatch", "b");
});

test("resending a known report returns its event, whatever is sent with it", async () => {
  const first = await door.submit(report("r", "a"));
  const again = [
    report("r", "a"),
    report("r", "a").reverse(),
    report("r"),
    report("r", "b", "c"),
    [...report("r"), { name: "undeclared", body: bytes }],
    [...report("r", "a").slice(0, 1), { name: "a", body: "other bytes" }],
    report("r", "a").slice(0, 1),
    [part("p"), part("p"), ...report("r", "p")],
    [..."abcdef"].map(part).concat(report("r", "a")),
    [{ ...part("a"), headers: [`Content-Digest: sha-256=:${"A".repeat(43)}=:`] }, ...report("r", "a").slice(0, 1)],
    [...report("r"), ...report("r")],
    [...report("r"), { headers: ["Content-Type: text/plain"], body: "a part without a name" }],
    [
      envelopePart({
        reportId: "r",
        message: "another",
        attachments: [{ ...declare("a", ""), byteLength: 30_000_000 }],
      }),
    ],
  ];
  for (const parts of again) {
    const { status, body } = await door.submit(parts);
    assert.deepEqual([status, body], [200, { ...first.body, idempotent: true }]);
  }
  const cut = encodeForm(report("r", "a")).subarray(0, 100_000);
  assert.deepEqual((await door.post(cut)).body, { ...first.body, idempotent: true });
  const tooLarge = encodeForm([...report("r", "a").slice(0, 1), { name: "a", body: Buffer.alloc(26_000_000) }]);
  assert.deepEqual((await door.post(tooLarge)).body, { ...first.body, idempotent: true });
  // Errors of the envelope itself take precedence.
  const wrong = envelopePart({ reportId: "r", more: 1 });
  for (const parts of [[wrong], [part("p"), part("p"), wrong]]) {
    assert.equal((await door.submit(parts)).body.error, "schema_validation_failed");
  }
  assert.deepEqual(await door.reportIds(), ["r"]);
  assert.equal((await storedFiles(door.deps.config.dataDir)).length, 1);
  await whole();
});

test("reportIds are compared verbatim, separately for each app", async () => {
  const ids = ["r", "R", "r ", " r", "é", "e\u0301", "😀"];
  for (const reportId of ids) assert.equal((await door.submit(report(reportId))).body.idempotent, false, reportId);
  const { apps } = await door.apply({
    organisation: { name: "Acme", slug: "acme" },
    apps: [
      { name: "Web", slug: "web", keys: ["default", "second"] },
      { name: "iOS", slug: "ios", keys: ["default"] },
    ],
  });
  const as = (key = "") => door.submit(report("r"), {}, { authorization: `Bearer ${key}` });
  assert.equal((await as(apps[0]?.keys[1]?.key)).body.idempotent, true);
  assert.equal((await as(apps[1]?.keys[0]?.key)).body.idempotent, false);
});

test("twelve identical reports at the same time create one event", async () => {
  for (const [reportId, parts] of [
    ["small", report("small")],
    ["large", report("large", "a", "b")],
    ["reversed", report("reversed", "a", "b").reverse()],
  ] as const) {
    const answers = await Promise.all(Array.from({ length: 12 }, () => door.submit(parts)));
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array.from({ length: 12 }, () => 200),
    );
    assert.equal(new Set(answers.map(({ body }) => body.eventId)).size, 1, reportId);
    assert.equal(answers.filter(({ body }) => body.idempotent === false).length, 1, reportId);
  }
  assert.deepEqual(await door.reportIds(), ["large", "reversed", "small"]);
  await whole();
});

test("forty reports at the same time are kept apart", async () => {
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, index) => door.submit(report(`${index}`, "a", "b", "c"))),
  );
  assert.ok(answers.every(({ status, body }) => status === 200 && body.idempotent === false));
  assert.equal((await door.reportIds()).length, 40);
  await whole();
});
