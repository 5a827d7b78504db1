import assert from "node:assert/strict";
import { test } from "node:test";
import Type from "typebox";
import { compileCheck } from "./problems.ts";
import { NullableDate, NullableUuid, Slug, Text, Uuid, WholeNumber } from "./text.ts";

const closed = { additionalProperties: false };
const said = (schema: Type.TSchema, value: unknown) =>
  compileCheck(schema)
    .problemsOf(value)
    .map(({ path, message }) => `${path} ${message}`);

test("a valid value has no problems", () => {
  const check = compileCheck(Type.Object({ name: Type.String() }, closed));
  assert.ok(check.accepts({ name: "n" }));
  assert.deepEqual(check.problemsOf({ name: "n" }), []);
});

test("a problem says in words what is valid", () => {
  const of = (schema: Type.TSchema, value: unknown) => said(schema, value).join(";").trim();
  const text = Text({ minLength: 2, maxLength: 3, description: "" });
  assert.equal(of(text, "a"), "must have at least 2 characters");
  assert.equal(of(Text({ minLength: 1, maxLength: 3, description: "" }), ""), "must have at least 1 character");
  assert.equal(of(text, "abcd"), "must have at most 3 characters (Unicode code points)");
  assert.equal(of(text, "a\0"), "must not contain NUL characters or unpaired surrogates");
  assert.equal(of(text, 1), "must be a string");
  assert.equal(of(Type.Integer({ minimum: 0, maximum: 9 }), 0.5), "must be an integer");
  assert.equal(of(Type.Integer({ minimum: 0, maximum: 9 }), -1), "must be at least 0");
  assert.equal(of(Type.Integer({ minimum: 0, maximum: 9 }), 10), "must be at most 9");
  assert.equal(of(Type.Boolean(), null), "must be a boolean");
  assert.equal(of(Type.Array(text, { minItems: 1 }), []), "must have at least 1 entry");
  assert.equal(of(Type.Array(text, { maxItems: 2 }), ["aa", "aa", "aa"]), "must have at most 2 entries");
  assert.equal(of(Type.Enum(["on", "off"]), "ON"), "must be one of on, off");
  assert.equal(of(Uuid(""), "x"), "must be a UUID");
  assert.equal(of(NullableUuid(""), 1), "must be a string or null");
  for (const date of ["2026-1-1", "2026-02-30", "0000-01-01"]) {
    assert.equal(of(NullableDate(""), date), "must be a real calendar date in the format YYYY-MM-DD");
  }
  assert.equal(of(Slug, "A"), "must consist of lowercase letters and digits, separated by single hyphens");
  for (const number of ["-1", "1.5", "", "1234567890"]) {
    assert.equal(of(WholeNumber(""), number), "must be a whole number of at most 9 digits");
  }
  assert.equal(of(Type.Object({}, { minProperties: 1 }), {}), "must have at least 1 field");
  assert.equal(of(Type.String({ format: "email" }), "x"), "must be a valid email");
});

test("a path is a JSON Pointer to the invalid value", () => {
  const schema = Type.Object({ "a/b": Type.Array(Type.Object({ "~c": Type.String() }, closed)) }, closed);
  assert.deepEqual(said(schema, { "a/b": [{ "~c": "" }, { "~c": 1 }] }), ["/a~1b/1/~0c must be a string"]);
  assert.deepEqual(said(schema, { "a/b": [{}] }), ["/a~1b/0/~0c is required"]);
  assert.deepEqual(said(schema, { "a/b": [], "x/~": 1 }), ["/x~1~0 is not a known field"]);
  assert.deepEqual(said(schema, []), [" must be an object"]);
});

test("a value has one problem, and an input at most eight", () => {
  const three = Text({ minLength: 3, maxLength: 3, description: "" });
  assert.equal(said(three, "\0").length, 1);
  assert.equal(said(Type.Array(three), Array(20).fill("")).length, 8);
});

test("inherited properties count neither as sent nor as known fields", () => {
  const schema = Type.Object({ constructor: Type.String() }, closed);
  assert.deepEqual(said(schema, {}), ["/constructor is required"]);
  const open = Type.Object({}, closed);
  assert.deepEqual(said(open, JSON.parse('{"__proto__": {}}')), ["/__proto__ is not a known field"]);
  assert.deepEqual(said(open, { toString: 1 }), ["/toString is not a known field"]);
});

test("an object with thousands of unknown fields is refused for the first ones, and known fields are not missed", () => {
  const schema = Type.Object({ name: Type.String(), age: Type.Optional(Type.Integer()) }, closed);
  const unknown = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`x${index}`, 1]));
  assert.equal(said(schema, { ...unknown, name: "n" })[0], "/x0 is not a known field");
  assert.equal(said(schema, { ...unknown, name: "n", age: "old" })[0], "/x0 is not a known field");
  assert.equal(said(schema, { ...unknown })[0], "/name is required");
});
