import assert from "node:assert/strict";
import { test } from "node:test";
import type { TSchema } from "typebox";
import { isMedia } from "./operation.ts";
import { operations } from "./operations.ts";
import { compileCheck } from "./problems.ts";
import { World } from "./world.ts";

type Node = TSchema & { properties?: Record<string, TSchema>; items?: TSchema; anyOf?: TSchema[]; type?: string };

/** Every text that is sent, with the path of its schema. */
function* textsOf(schema: Node, path: string): Generator<[path: string, schema: TSchema]> {
  if (schema.type === "string") yield [path, schema];
  for (const [name, of] of Object.entries(schema.properties ?? {})) yield* textsOf(of as Node, `${path}/${name}`);
  if (schema.items) yield* textsOf(schema.items as Node, path);
  for (const one of schema.anyOf ?? []) yield* textsOf(one as Node, path);
}

const sent = [...textsOf(World as Node, "World")];
for (const { operation } of operations) {
  if (operation.body && !isMedia(operation.body)) sent.push(...textsOf(operation.body as Node, operation.id));
}

test("a name of any kind is one line", () => {
  const names = sent.filter(([path]) => /(?:name|labels|addLabels|columns|doneColumn|keys)$/i.test(path));
  assert.ok(names.length >= 30, `${names.length}`);
  for (const [path, schema] of names) {
    const { accepts, problemsOf } = compileCheck(schema);
    for (const between of ["\n", "\r", "\t", "\0", "\x1b", "\x7f", "\x85", "\u2028", "\u2029"]) {
      const name = `a${between}b`;
      assert.equal(accepts(name), false, `${path} accepts ${JSON.stringify(name)}`);
      assert.match(problemsOf(name)[0]?.message ?? "", /must not contain control characters, tabs, line breaks/, path);
    }
    assert.ok(accepts("Ünïcode – name 日本 👩‍🚀"), path);
  }
});

/**
 * The values of these fields depend on the kind beside them, or on Git: the server checks that (`receiver-url.ts`,
 * `bind-repository.ts`).
 */
const judgedByServer = /^(?:World|createSubscriber|changeSubscriber|testSubscriber|bindRepository)\b/;

test("a stored URL is an http or https URL", () => {
  const addresses = sent.filter(([path]) => /url$/i.test(path) && !judgedByServer.test(path));
  assert.ok(addresses.length >= 3, `${addresses.length}`);
  for (const [path, schema] of addresses) {
    const { accepts } = compileCheck(schema);
    for (const address of [
      "javascript:alert(1)",
      " https://a.test",
      "data:text/html,x",
      "https:",
      "https://",
      "//a.test",
    ]) {
      assert.equal(accepts(address), false, `${path} accepts ${address}`);
    }
    for (const address of ["https://a.test", "http://a.test:8080/b?c#d", "HTTPS://A.test/"])
      assert.ok(accepts(address));
  }
});
