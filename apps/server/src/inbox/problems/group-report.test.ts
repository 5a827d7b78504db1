import assert from "node:assert/strict";
import { test } from "node:test";
import { normaliseFile } from "../stacks/languages/javascript.ts";
import { normaliseMessage } from "../stacks/normalise-message.ts";
import { readStack } from "../stacks/read-stack.ts";
import { groupReport } from "./group-report.ts";

// One error, thrown by a click in the same app, as each browser reports it.
const chromium = `TypeError: Cannot read properties of undefined (reading 'total')
    at addTax (https://shop.example.test/assets/checkout-B7f3a9c1.js:12:1841)
    at Object.computeTotal (https://shop.example.test/assets/checkout-B7f3a9c1.js:12:2210)
    at Array.map (<anonymous>)
    at renderCart (https://shop.example.test/assets/cart-DiwrgTda.js:3:977)
    at HTMLButtonElement.<anonymous> (https://shop.example.test/assets/cart-DiwrgTda.js:3:1502)
    at invokeGuarded (https://shop.example.test/node_modules/.vite/deps/react-dom.js?v=1f2e3d4c:77:11)
    at async load (https://shop.example.test/assets/cart-DiwrgTda.js:9:1)`;
const firefox = `addTax@https://shop.example.test/assets/checkout-B7f3a9c1.js:12:1841
computeTotal@https://shop.example.test/assets/checkout-B7f3a9c1.js:12:2210
renderCart@https://shop.example.test/assets/cart-DiwrgTda.js:3:977
setUp/<@https://shop.example.test/assets/cart-DiwrgTda.js:3:1502
invokeGuarded@https://shop.example.test/node_modules/.vite/deps/react-dom.js?v=1f2e3d4c:77:11
EventListener.handleEvent*load@https://shop.example.test/assets/cart-DiwrgTda.js:9:1
`;
const safari = `addTax@https://shop.example.test/assets/checkout-B7f3a9c1.js:12:1845
computeTotal@https://shop.example.test/assets/checkout-B7f3a9c1.js:12:2214
map@[native code]
renderCart@https://shop.example.test/assets/cart-DiwrgTda.js:3:980
https://shop.example.test/assets/cart-DiwrgTda.js:3:1510
invokeGuarded@https://shop.example.test/node_modules/.vite/deps/react-dom.js?v=1f2e3d4c:77:11`;
const node = `Error: connect ECONNREFUSED 10.0.0.7:5432
    at loadOrders (/srv/shop/releases/20261120/src/orders/load.ts:40:11)
    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)
    at async handle (file:///srv/shop/releases/20261120/src/http/serve.ts:12:3)
    at Layer.handle (/srv/shop/releases/20261120/node_modules/router/lib/layer.js:152:17)`;

const of = (type: string, message: string, stack?: string) =>
  groupReport({ error: { type, message, ...(stack !== undefined && { stack }) } });

test("one error is one problem in Chromium, Firefox and Safari, although their messages differ", () => {
  const groupings = [
    of("TypeError", "Cannot read properties of undefined (reading 'total')", chromium),
    of("TypeError", 'can\'t access property "total", e is undefined', firefox),
    of("TypeError", "undefined is not an object (evaluating 'e.total')", safari),
  ];
  assert.deepEqual(groupings[0]?.strings, [
    "TypeError",
    "addTax@assets/checkout.js",
    "computeTotal@assets/checkout.js",
    "renderCart@assets/cart.js",
  ]);
  assert.deepEqual(groupings[1], groupings[0]);
  assert.deepEqual(groupings[2], groupings[0]);
  assert.notEqual(of("RangeError", "", chromium)?.hash, groupings[0]?.hash);
});

test("a Node stack is grouped by the app's frames, wherever and whenever the app was deployed", () => {
  const first = of("Error", "connect ECONNREFUSED 10.0.0.7:5432", node);
  assert.deepEqual(
    [first?.rule, first?.strings],
    ["own_frames", ["Error", "loadOrders@orders/load.ts", "handle@http/serve.ts"]],
  );
  const later = node.replaceAll("releases/20261120", "releases/20261121").replaceAll(":40:", ":44:");
  assert.deepEqual(of("Error", "another message", later), first);
  assert.deepEqual(
    of("Error", "x", node.replaceAll("/srv/shop/releases/20261120", "C:\\srv").replaceAll("/load", "\\load")),
    first,
  );
});

test("three builds of a bundle, with different hashes and minified names, are one problem", () => {
  const build = (file: string, name: string, column: number) =>
    of(
      "TypeError",
      "e is undefined",
      `TypeError: e is undefined\n    at ${name} (https://cdn.example.test/${file}:1:${column})\n    at checkout (https://cdn.example.test/${file}:1:${column + 90})`,
    );
  const hashed = [
    ["assets/index-B7f3a9c1.js", "assets/index-Ca-12_xQ.js", "assets/index-DiwrgTda.js"], // Vite
    ["static/app-4QXG5HVS.js", "static/app-7ZK2LMNA.js", "static/app-ABCDEFGH.js"], // esbuild
    ["js/main.8e0d62a03bc8ab12cd34.js", "js/main.1b2c3d4e5f60718293a4.js", "js/main.ffeeddccbbaa99887766.js"], // webpack
    ["js/8e0d62a0.chunk.js", "js/1b2c3d4e.chunk.js", "js/aa99bb88.chunk.js"],
    ["3f2a9c1b/app.js", "v1.4.2/app.js", "20261120/app.js"],
  ];
  for (const files of hashed) {
    const [first, ...others] = files.map((file, index) => build(file, ["a", "Xt", "n"][index] ?? "", 100 * index));
    for (const other of others) assert.deepEqual(other, first, files.join(" "));
  }
  assert.equal(normaliseFile("https://cdn.example.test/src/my-settings.js?v=2#x"), "src/my-settings.js");
  assert.equal(normaliseFile("https://cdn.example.test/src/load-user.service.ts"), "src/load-user.service.ts");
});

test("errors in a minified bundle without names are distinguished by their messages", () => {
  const minified = (message: string, column: number) =>
    of("TypeError", message, `TypeError: ${message}\n    at n (https://cdn.example.test/app.js:1:${column})`);
  assert.deepEqual(minified("row 17 is gone", 10), minified("row 4711 is gone", 9000));
  assert.notEqual(minified("row 17 is gone", 10)?.hash, minified("column 17 is gone", 10)?.hash);
});

test("the first rule that applies decides", () => {
  const error = { type: "TypeError", message: "x", stack: chromium };
  assert.deepEqual(groupReport({ fingerprint: ["a", "b"], error })?.strings, ["a", "b"]);
  assert.equal(groupReport({ fingerprint: [], error })?.rule, "own_frames");
  const library =
    "Error: x\n    at boom (https://x.test/node_modules/lib/index.js:1:2)\n    at next (https://x.test/node_modules/lib/next.js:1:2)";
  assert.deepEqual(of("Error", "x", library), {
    ...of("Error", "y", library),
    rule: "first_frame",
    strings: ["Error", "boom@lib/index.js"],
  });
  assert.deepEqual(of("Error", "No user 17 (a@b.test) at 10.0.0.1, see https://x.test/?id=1")?.strings, [
    "Error",
    "No user <n> (<email>) at <ip>, see <url>",
  ]);
  assert.equal(of("Error", "native", "Error: x\n    at new Promise (<anonymous>)")?.rule, "message");
});

test("{{ default }} in a fingerprint stands for the default grouping", () => {
  const error = { type: "TypeError", message: "x", stack: chromium };
  const byDefault = groupReport({ error });
  assert.deepEqual(groupReport({ fingerprint: ["{{ default }}"], error }), byDefault);
  const perTenant = groupReport({ fingerprint: ["tenant-7", "{{default}}"], error });
  assert.deepEqual([perTenant?.rule, perTenant?.strings], ["fingerprint", ["tenant-7", ...(byDefault?.strings ?? [])]]);
});

test("structured frames are used instead of the stack, and are grouped like it", () => {
  const message = "no price";
  const stack = `java.lang.IllegalStateException: ${message}
\tat java.base/java.util.Objects.requireNonNull(Objects.java:259)
\tat com.acme.shop.Cart.total(Cart.java:42)
\tat com.acme.shop.Api.show(Api.java:7)`;
  const frames = [
    { module: "java.util.Objects", function: "requireNonNull", file: "Objects.java", line: 259 },
    { module: "com.acme.shop.Cart", function: "total", file: "Cart.java", line: 42 },
    { module: "com.acme.shop.Api", function: "show", file: "Api.java", line: 7 },
  ];
  const type = "java.lang.IllegalStateException";
  const byFrames = groupReport({ platform: "java", error: { type, message, stack: "no stack at all", frames } });
  assert.deepEqual(byFrames, of(type, message, stack));
  assert.deepEqual(byFrames?.strings, ["IllegalStateException", "com.acme.shop.Cart.total", "com.acme.shop.Api.show"]);
  const own = frames.map((frame) => ({ ...frame, inApp: frame.function === "show" }));
  assert.deepEqual(groupReport({ platform: "java", error: { type, message, frames: own } })?.strings, [
    "IllegalStateException",
    "com.acme.shop.Api.show",
  ]);
});

test("reports are grouped by the root cause, not by the errors that wrap it", () => {
  const wrapped = (cause: { type: string; message: string; stack?: string }) =>
    groupReport({ error: { type: "Error", message: "cannot save", stack: chromium, causes: [cause] } });
  const stack = "TypeError: x\n    at store (https://x.test/store.js:1:2)";
  assert.deepEqual(wrapped({ type: "TypeError", message: "x", stack }), of("TypeError", "x", stack));
  const inner = wrapped({ type: "QuotaExceededError", message: "full" });
  assert.deepEqual(inner?.strings.slice(0, 2), ["QuotaExceededError", "addTax@assets/checkout.js"]);
});

test("feedback, questions and reports without an error are not grouped", () => {
  const error = { type: "Error", message: "x" };
  assert.equal(groupReport({ kind: "feedback", error, fingerprint: ["a"] }), undefined);
  assert.equal(groupReport({ kind: "question", error }), undefined);
  assert.equal(groupReport({ kind: "bug", title: "The button is too small" }), undefined);
  assert.equal(groupReport({ kind: "other" }), undefined);
  assert.deepEqual(groupReport({ kind: "crash", title: "Signal 11 at 0xdeadbeef" })?.strings, [
    "crash",
    "Signal <n> at <address>",
  ]);
  assert.equal(groupReport({ error })?.rule, "message");
});

test("an address with an @ in it is read as a file, not as a function", () => {
  const places = ["https://cdn.test/npm/@acme/ui@2.1.0/ui.js:10:5", "add@https://cdn.test/npm/@acme/ui.js:1:2"];
  assert.deepEqual(
    readStack(places.join("\n")).parts[0]?.frames.map((frame) => [
      frame.function,
      frame.file,
      frame.line,
      frame.column,
    ]),
    [
      [null, "https://cdn.test/npm/@acme/ui@2.1.0/ui.js", 10, 5],
      ["add", "https://cdn.test/npm/@acme/ui.js", 1, 2],
    ],
  );
});

test("parts that differ between occurrences are removed from a message", () => {
  const same = [
    ["user 17 not found", "user 4711 not found", "user -3 not found"],
    ["id 01890c5e-7b1a-7c3d-8e4f-0123456789ab", "id 01890c5e-7b1a-7c3d-8e4f-ba9876543210"],
    ["at 0x7ffee4 in libc", "at 0x7fa100 in libc"],
    ["open /home/ada/app/x.db", "open C:\\Users\\eve\\app\\x.db"],
    ["commit 8e0d62a03bc8 is gone", "commit 1b2c3d4e5f60 is gone"],
    ["mail to ada@example.test", "mail to eve@umbra.example.test"],
  ];
  for (const messages of same)
    assert.equal(new Set(messages.map(normaliseMessage)).size, 1, messages.map(normaliseMessage).join(" | "));
  assert.equal(normaliseMessage("the base class is abstract"), "the base class is abstract");
});

test("a nonsensical stack is read within bounds", () => {
  const hostile = [
    "    at ( ( ( (".repeat(30_000),
    `${"@".repeat(400_000)}:1:1`,
    `    at ${"a.".repeat(200_000)} (x:1:2)`,
    "    at x (eval at ".repeat(20_000),
    "\n".repeat(1_000_000),
    `${" ".repeat(1_900)}x\n`.repeat(200),
    Array.from({ length: 5_000 }, (_, line) => `    at f${line} (https://x.test/a.js:${line}:1)`).join("\n"),
  ];
  for (const stack of hostile) {
    assert.ok((readStack(stack).parts[0]?.frames.length ?? 0) <= 10_000);
    assert.ok((of("Error", stack, stack)?.strings.length ?? 0) <= 10);
  }
});
