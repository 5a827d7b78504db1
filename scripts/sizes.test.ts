import assert from "node:assert/strict";
import { test } from "node:test";
import { componentLinesMax, functionLinesMax, sizesOf } from "./sizes.ts";

const statements = (count: number) => "  step();\n".repeat(count);
const long = (file: string, text: string) => sizesOf(file, text).functions.map(({ name, lines }) => `${name} ${lines}`);

test("a function that is longer than a screen is found in any notation", () => {
  const body = `{\n${statements(functionLinesMax - 1)}}`;
  for (const [text, name] of [
    [`function walk() ${body}`, "walk"],
    [`const walk = async () => ${body};`, "walk"],
    [`class Path { walk() ${body} }`, "walk"],
    [`const path = { walk: () => ${body} };`, "walk"],
    [`run(() => ${body});`, "a function without a name"],
  ] as const) {
    assert.deepEqual(long("a.ts", text), [`${name} ${functionLinesMax + 1}`], text);
    assert.deepEqual(long("a.ts", text.replace("  step();\n", "")), [], text);
  }
});

test("a named inner function counts separately, an anonymous one with its outer function", () => {
  const inner = statements(functionLinesMax - 10);
  assert.deepEqual(long("a.ts", `function outer() {\n${statements(9)}  function inner() {\n${inner}  }\n}`), []);
  assert.deepEqual(long("a.ts", `function outer() {\n${statements(9)}  run(() => {\n${inner}  });\n}`), ["outer 63"]);
});

test("a component may be longer because of its markup", () => {
  const text = (name: string, count: number) => `function ${name}() {\n${statements(count)}}`;
  assert.deepEqual(long("a.tsx", text("Card", componentLinesMax - 2)), []);
  assert.deepEqual(long("a.tsx", text("Card", componentLinesMax - 1)), [`Card ${componentLinesMax + 1}`]);
  assert.deepEqual(long("a.tsx", text("useCard", functionLinesMax)), [`useCard ${functionLinesMax + 2}`]);
  assert.deepEqual(long("a.ts", text("Card", functionLinesMax)), [`Card ${functionLinesMax + 2}`]);
});
