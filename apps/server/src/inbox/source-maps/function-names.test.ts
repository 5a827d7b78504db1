import assert from "node:assert/strict";
import { test } from "node:test";
import { functionAt, namedFunctions } from "./function-names.ts";

const source = `export async function submit(order: Order): Promise<void> {
  order.lines.forEach((line) => {
    throw new Error("in a callback");
  });
}
class Cart extends Base {
  #total = () => fail();
  static get size() { return fail(); }
  add<T>(item: T) { fail(item); }
}
const render = () => <p>{fail()}, it's fine</p>;
const api = { load: async function () { fail(); }, "save-all"() { fail(); } };
api.drop = (id) => fail(id);
fail();
`;

/** The function around each `fail(` or `throw` in a source, by line. */
function functionsOf(text: string, file: string): Record<number, string | null> {
  const functions = namedFunctions(text, file);
  return Object.fromEntries(
    text.split("\n").flatMap((line, index) => {
      const column = line.search(/fail\(|throw/);
      return column < 0 ? [] : [[index + 1, functionAt(functions, index + 1, column)]];
    }),
  );
}

test("a function is named by its declaration, or by what it is assigned to", () => {
  assert.deepEqual(functionsOf(source, "src/cart.tsx"), {
    3: "submit",
    7: "Cart.total",
    8: "Cart.size",
    9: "Cart.add",
    11: "render",
    12: "load",
    13: "drop",
    14: null,
  });
});

test("a source that is not JavaScript has no functions, and one with errors has those that can be parsed", () => {
  assert.deepEqual(namedFunctions("<template><p/></template>", "App.vue").length, 0);
  assert.deepEqual(namedFunctions("(".repeat(200_000), "deep.js"), []);
  assert.deepEqual(functionsOf("function total() {\n  fail();\n}", "total.js"), { 2: "total" });
});

test("in a component, the functions of its scripts are found", () => {
  const text = `<script lang="ts">
export const load = <T>(id: T) => fail(id);
</script>
<template><p @click="fail()">it's</p></template>
<script setup lang="ts">function submit() { fail(); }</script>
<script>`;
  for (const file of ["src/Cart.vue", "src/Cart.vue?vue&type=script", "src/Cart.svelte"]) {
    assert.deepEqual(functionsOf(text, file), { 2: "load", 4: null, 5: "submit" }, file);
  }
});
