import assert from "node:assert/strict";
import { after, test } from "node:test";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";

const lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "100000" });
after(() => lodge[Symbol.asyncDispose]());
const acme = await makeOrganisation(lodge);

const json = { "content-type": "application/json" };
const file = (body: unknown, headers: Record<string, string> = {}) => lodge.fileTicket(acme.tokens.web, body, headers);

/** Sends a body that must be refused as invalid_input, and returns the paths and messages of its problems. */
async function problems(body: unknown, headers: Record<string, string> = {}): Promise<[string, string][]> {
  const refused = await file(body, headers);
  assert.deepEqual([refused.status, refused.body.error], [400, "invalid_input"]);
  assert.deepEqual(Object.keys(refused.body), ["error", "message", "docs", "details"]);
  const details = refused.body.details as { path: string; message: string }[];
  assert.ok(details.length >= 1);
  return details.map(({ path, message }) => [path, message]);
}
const paths = async (body: unknown) => (await problems(body)).map(([path]) => path);
const withText = (field: string, escaped: string) => `{"title": "t", "${field}": "${escaped}"}`;

/** A request whose body is sent in pieces, and so without a Content-Length. */
async function fileInChunks(pieces: Iterable<string>) {
  const encoder = new TextEncoder();
  const response = await fetch(`${lodge.url}/api/v1/tickets`, {
    method: "POST",
    headers: { ...json, authorization: `Bearer ${acme.tokens.web}` },
    body: ReadableStream.from(Iterator.from(pieces).map((piece) => encoder.encode(piece))),
    duplex: "half",
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test("a title has 1 to 200 characters", async () => {
  assert.equal((await file({ title: "t" })).status, 201);
  assert.equal((await file({ title: "t".repeat(200) })).status, 201);
  assert.deepEqual(await problems({}), [["/title", "is required"]]);
  assert.deepEqual(await problems({ title: "" }), [["/title", "must have at least 1 character"]]);
  assert.deepEqual(await paths({ title: "t".repeat(201) }), ["/title"]);
});

test("a description has up to 20,000 characters", async () => {
  assert.equal((await file({ title: "t", description: "" })).status, 201);
  assert.equal((await file({ title: "t", description: "d".repeat(20_000) })).status, 201);
  assert.deepEqual(await paths({ title: "t", description: "d".repeat(20_001) }), ["/description"]);
});

test("lengths count code points, not UTF-16 units or graphemes", async () => {
  assert.equal((await file({ title: "😀".repeat(200), description: "😀".repeat(20_000) })).status, 201);
  assert.deepEqual(await paths({ title: "😀".repeat(201), description: "😀".repeat(20_001) }), [
    "/title",
    "/description",
  ]);
  assert.equal((await file({ title: "e\u0301".repeat(100) })).status, 201);
  assert.deepEqual(await paths({ title: `${"e\u0301".repeat(100)}e` }), ["/title"]);
  assert.equal((await file({ title: "👩‍👧".repeat(66) })).status, 201);
  assert.deepEqual(await paths({ title: "👩‍👧".repeat(67) }), ["/title"]);
});

test("a NUL character or an unpaired surrogate in a text is refused", async () => {
  for (const escaped of ["\\u0000", "a\\u0000b", "\\ud800", "\\udc00", "\\ud83d!", "\\ude00\\ud83d", "😀\\ud83d"]) {
    for (const field of ["title", "description"]) {
      assert.deepEqual(await problems(withText(field, escaped)), [
        [`/${field}`, "must not contain NUL characters or unpaired surrogates"],
      ]);
    }
  }
  assert.equal((await file(withText("description", "\\ud83d\\ude00"))).status, 201);
});

test("a field name with a NUL character or an unpaired surrogate is refused as an unknown field", async () => {
  assert.deepEqual(await paths('{"title": "t", "title\\u0000": "t"}'), ["/title\u0000"]);
  assert.equal((await problems('{"title": "t", "\\ud800": "t"}')).length, 1);
});

test("a body that is not valid UTF-8 is refused", async () => {
  for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf0, 0x9f, 0x98], [0xf5, 0x80, 0x80, 0x80]]) {
    const body = Buffer.concat([Buffer.from('{"title": "'), Buffer.from(bytes), Buffer.from('"}')]);
    assert.deepEqual(await problems(body, json), [["", "The body must be valid UTF-8"]]);
  }
});

test("an unknown field is refused by name, including names of built-in object members", async () => {
  assert.deepEqual(await problems({ title: "t", colour: "red" }), [["/colour", "is not a known field"]]);
  assert.deepEqual(await paths({ title: "t", Title: "t", attachments: [] }), ["/Title", "/attachments"]);
  assert.deepEqual(await paths({ title: "t", "a/b~c": 1 }), ["/a~1b~0c"]);
  for (const name of ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"]) {
    for (const value of ["null", "1", "{}", '{"title": "t"}']) {
      assert.deepEqual(await paths(`{"title": "t", "${name}": ${value}}`), [`/${name}`]);
    }
  }
  assert.deepEqual(await paths('{"__proto__": {"title": "t"}}'), ["/title", "/__proto__"]);
});

test("of a thousand unknown fields the error lists the first few, and nothing about the known ones", async () => {
  const unknown = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`x${index}`, index]));
  const told = await paths({ ...unknown, title: "t" });
  assert.deepEqual(told, ["/x0", "/x1", "/x2", "/x3", "/x4", "/x5", "/x6", "/x7"]);
});

test("a field of the wrong type is refused", async () => {
  const wrong = {
    title: [7, true, null, {}, ["t"]],
    description: [7, null, {}],
    projectId: [7, null, {}, "", "web", acme.web.id.replaceAll("-", ""), `{${acme.web.id}}`, `${acme.web.id}\n`],
    boardId: [7, null, "x"],
    columnId: [7, null, "x"],
    priority: [7, null, "", "urgent", "High", ["high"]],
    assigneeUserId: [7, "", "me"],
    agentRepositoryId: [7, "", "web"],
    startsAt: [7, ""],
    dueAt: [7, ""],
  };
  for (const [field, values] of Object.entries(wrong)) {
    for (const value of values) {
      assert.deepEqual(
        await paths({ title: "t", [field]: value }),
        [`/${field}`],
        `${field}: ${JSON.stringify(value)}`,
      );
    }
  }
});

test("a priority is one of none, low, medium and high", async () => {
  for (const priority of ["none", "low", "medium", "high"]) {
    assert.equal((await file({ title: "t", priority })).status, 201);
  }
});

test("UUIDs of any version are accepted", async () => {
  const { body } = await file({ title: "t", projectId: "00000000-0000-0000-0000-000000000000" });
  assert.equal(body.error, "project_not_found");
  const { body: largest } = await file({ title: "t", projectId: "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF" });
  assert.equal(largest.error, "project_not_found");
});

test("a date is a real calendar date", async () => {
  for (const date of ["2024-02-29", "2000-02-29", "0001-01-01", "9999-12-31"]) {
    assert.equal((await file({ title: "t", dueAt: date })).status, 201, date);
  }
  for (const date of [
    ...["2026-02-30", "2026-02-29", "1900-02-29", "2026-04-31", "2026-13-01", "2026-00-01", "2026-01-00", "2026-01-32"],
    ...["0000-01-01", "2026-1-1", "26-01-01", "20260101", "2026/01/01", "+2026-01-01", "-2026-01-01", "12026-01-01"],
    ...["2026-01-01T00:00:00Z", " 2026-01-01", "2026-01-01 ", "2026-01-01\n", "٢٠٢٦-٠١-٠١", "today", "infinity"],
  ]) {
    for (const field of ["startsAt", "dueAt"]) {
      assert.deepEqual(await paths({ title: "t", [field]: date }), [`/${field}`], date);
    }
  }
});

test("an invalid body gets all of its problems in one error", async () => {
  assert.deepEqual(await paths({ title: "", priority: "urgent", startsAt: "2026-02-30", extra: 1 }), [
    "/extra",
    "/title",
    "/priority",
    "/startsAt",
  ]);
});

test("a body that is not a JSON object is refused", async () => {
  for (const body of ["[]", '[{"title": "t"}]', "null", "true", "1", '"t"', '"title"']) {
    assert.deepEqual(await problems(body), [["", "must be an object"]]);
  }
  for (const body of [
    "{",
    '{"title": "t"',
    "{'title': 't'}",
    '{"title": "t"} x',
    "title=t",
    '{"title": t}',
    "\u0000",
  ]) {
    assert.match((await problems(body))[0]?.[1] ?? "", /^The body must be valid JSON/);
  }
});

test("a body that is missing or empty is refused", async () => {
  assert.equal((await problems("")).length, 1);
  assert.equal((await problems(undefined)).length, 1);
  assert.equal((await problems(undefined, json)).length, 1);
  assert.equal((await problems(" ")).length, 1);
});

test("a body with a byte order mark, whitespace, or sent in chunks is accepted", async () => {
  assert.equal((await file('\uFEFF{"title": "t"}')).status, 201);
  assert.equal((await file('\r\n\t {"title" : "t"} \n')).status, 201);
  assert.equal((await fileInChunks(['{"ti', 'tle": "', "😀", '"}'])).body.title, "😀");
});

test("maximally nested bodies are refused quickly", async () => {
  const deep = `${"[".repeat(500_000)}${"]".repeat(500_000)}`;
  assert.deepEqual(await paths(`{"title": ${deep}}`), ["/title"]);
  assert.deepEqual(await paths(`{"title": "t", "x": ${deep}}`), ["/x"]);
  assert.deepEqual(await paths(deep), [""]);
  assert.equal((await problems(`{"title": ${"[".repeat(1_000_000)}`)).length, 1);
});

test("a content type other than JSON is refused", async () => {
  const types = ["text/plain", "text/json", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"];
  for (const type of [...types, "application/jsonp", "application/json-patch+json", "json", "application/", ""]) {
    assert.deepEqual(
      await problems(JSON.stringify({ title: "t" }), { "content-type": type }),
      [["", "The body must be JSON: send it with Content-Type: application/json"]],
      type,
    );
  }
  const bytes = new TextEncoder().encode('{"title": "t"}');
  assert.equal((await problems(bytes))[0]?.[0], "", "no content type at all");
});

test("the JSON content type is accepted in any letter case and with parameters", async () => {
  for (const type of ["application/json; charset=utf-8", "Application/JSON", "application/json;charset=UTF-8"]) {
    assert.equal((await file('{"title": "t"}', { "content-type": type })).status, 201, type);
  }
});

test("a compressed body is refused", async () => {
  for (const encoding of ["gzip", "br", "deflate", "gzip, identity"]) {
    assert.deepEqual(await problems({ title: "t" }, { "content-encoding": encoding }), [
      ["", "The body must not be compressed"],
    ]);
  }
  assert.equal((await file({ title: "t" }, { "content-encoding": "identity" })).status, 201);
});

test("a body has at most 1 MiB", async () => {
  const ofLength = (bytes: number) => `{"title": "t"${" ".repeat(bytes - 14)}}`;
  assert.equal((await file(ofLength(1_048_576))).status, 201);
  for (const bytes of [1_048_577, 5_000_000]) {
    assert.deepEqual(await problems(ofLength(bytes)), [["", "The body must have at most 1048576 bytes"]]);
  }
});

test("a body without a Content-Length is refused as soon as it exceeds 1 MiB", async () => {
  function* spaces(count: number) {
    yield '{"title": "t"';
    for (let sent = 0; sent < count; sent++) yield " ".repeat(65_536);
    yield "}";
  }
  assert.equal((await fileInChunks(spaces(15))).status, 201);
  const refused = await fileInChunks(spaces(100));
  assert.deepEqual([refused.status, refused.body.error], [400, "invalid_input"]);
});
