import assert from "node:assert/strict";
import { test } from "node:test";
import { Envelope } from "@lodge/contract/envelope";
import { compileCheck } from "@lodge/contract/problems";
import {
  type Translated,
  translateEvent,
  translateFeedback,
  translateUserReport,
  writeEnvelope,
} from "./translate-event.ts";

const input = { reportId: "0".repeat(32), receivedAt: new Date("2026-05-31T12:00:00Z") };
const translate = (event: Record<string, unknown>) => translateEvent(event, input);
const envelopeSchema = compileCheck(Envelope);

/** The schema errors of a translation, except for fields that only Sentry clients send. */
const problemsOf = ({ platform: _, level: _level, error, ...rest }: Translated) =>
  envelopeSchema.problemsOf({ ...rest, ...(error && { error: { type: error.type, message: error.message } }) });

test("an event without any content is still a report", () => {
  assert.deepEqual(translate({}), { reportId: input.reportId, kind: "bug", level: "error" });
});

test("every event is translated to a valid envelope", () => {
  const junk = [
    null,
    true,
    -1,
    1e300,
    "",
    "x".repeat(30_000),
    "\u0000\ud800",
    [],
    [null],
    [[1, 2]],
    {},
    { values: [null, 1, {}] },
  ];
  const fields =
    "message logentry level platform timestamp release dist environment server_name logger transaction user tags contexts extra request breadcrumbs fingerprint sdk exception threads debug_meta stacktrace";
  for (const field of fields.split(" ")) {
    for (const value of junk) {
      const nested = [
        value,
        { id: value, email: value, name: value, version: value, message: value, formatted: value },
      ];
      const lists = [[{ type: value, value, stacktrace: { frames: [value, { function: value, lineno: value }] } }]];
      const contexts = { app: { device_app_hash: value, app_version: value }, device: { model: value }, os: value };
      for (const sent of [...nested, ...lists, { values: lists[0] }, contexts, { app: value, feedback: value }]) {
        for (const translated of [
          translate({ [field]: sent }),
          translateFeedback({ [field]: sent, contexts: { feedback: sent } }, input),
          translateUserReport({ event_id: sent, name: sent, email: sent, comments: sent }, input),
        ]) {
          assert.deepEqual(problemsOf(translated), [], `${field}: ${JSON.stringify(sent)?.slice(0, 200)}`);
          JSON.parse(writeEnvelope(translated).toString());
        }
      }
    }
  }
});

test("long values are cut, surplus items are left out, and both are listed", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => index);
  const translated = translate({
    platform: "p".repeat(60),
    message: "\u{1F600}".repeat(20_001),
    level: "loud",
    fingerprint: many(12).map((index) => `${index}`.repeat(300)),
    tags: Object.fromEntries(many(60).map((index) => [`tag${index}`, index])),
    breadcrumbs: many(250).map((index) => ({ timestamp: index, message: `${index}` })),
    contexts: { app: { device_app_hash: "i".repeat(200) } },
    exception: {
      values: many(13).map((index) => ({
        type: `Error${index}`,
        stacktrace: { frames: many(300).map((line) => ({ lineno: line })) },
      })),
    },
    debug_meta: { images: many(60).map((index) => ({ type: "sourcemap", code_file: `f${index}`, debug_id: "d" })) },
  });
  assert.deepEqual(problemsOf(translated), []);
  assert.equal([...(translated.message ?? "")].length, 20_000);
  assert.equal(translated.level, "info");
  assert.equal(translated.breadcrumbs?.at(-1)?.message, "249", "the latest ones are kept");
  assert.equal(translated.breadcrumbs?.length, 200);
  assert.equal(translated.error?.type, "Error12");
  assert.equal(translated.error?.causes?.length, 10);
  assert.deepEqual([translated.error?.frames?.length, translated.error?.frames?.[0]?.line], [250, 299]);
  const named = new Set(translated.dropped?.map(({ partName }) => partName));
  for (const path of [
    "/platform",
    "/message",
    "/fingerprint",
    "/fingerprint/0",
    "/tags",
    "/breadcrumbs",
    "/contexts/app/device_app_hash",
    "/exception/values",
    "/exception/values/12/stacktrace/frames",
    "/debug_meta/images",
  ]) {
    assert.ok(named.has(path), path);
  }
});

test("contexts that are too deep for a serialiser and numbers that grow when written do no harm", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`);
  assert.ok(writeEnvelope(translate({ extra: deep, breadcrumbs: [{ data: deep }] })).length < 100_000);
  const grown = writeEnvelope(translate({ extra: { numbers: Array.from({ length: 400_000 }, () => 1e20) } }));
  const { context, dropped } = JSON.parse(grown.toString());
  assert.equal(context, undefined);
  assert.deepEqual(dropped[0].partName, "/context");
});

test("frames get their module, file, place and source lines, and whether they are the app's", () => {
  const frames = [
    {
      filename: "app/pay.py",
      abs_path: "/srv/app/pay.py",
      module: "app.pay",
      function: "pay",
      lineno: 7,
      in_app: true,
    },
    {
      filename: "lib/http.py",
      function: "send",
      lineno: 3,
      in_app: false,
      pre_context: ["a", 1],
      context_line: "b",
      post_context: ["c"],
      vars: { secret: "s" },
    },
  ];
  const { error } = translate({ platform: "python", exception: { values: [{ type: "E", stacktrace: { frames } }] } });
  assert.deepEqual(error?.frames, [
    {
      function: "send",
      file: "lib/http.py",
      line: 3,
      inApp: false,
      context: { before: ["a"], line: "b", after: ["c"] },
    },
    { function: "pay", module: "app.pay", file: "app/pay.py", line: 7, inApp: true },
  ]);
});

test("a JVM exception gets its package in its name, and the stack of the crashed thread", () => {
  const frames = [{ module: "com.acme.Cart", function: "total", filename: "Cart.java", lineno: 12, in_app: true }];
  const { error, kind } = translate({
    platform: "java",
    exception: { values: [{ type: "NullPointerException", module: "java.lang", mechanism: { handled: false } }] },
    threads: { values: [{ id: 1 }, { id: 2, crashed: true, stacktrace: { frames } }] },
  });
  assert.deepEqual(
    [error?.type, error?.frames?.[0]?.function, kind],
    ["java.lang.NullPointerException", "total", "crash"],
  );
});

test("releases are split into versions and builds", () => {
  for (const [event, app] of [
    [
      { release: "shop@1.2.3+45", dist: "7" },
      { version: "1.2.3", build: "7", release: "shop@1.2.3+45" },
    ],
    [{ release: "@acme/shop@2.0.0" }, { version: "2.0.0", release: "@acme/shop@2.0.0" }],
    [{ release: "8f3c2a1" }, { version: "8f3c2a1", release: "8f3c2a1" }],
    [{ contexts: { app: { app_version: "3.1", app_build: "99" } } }, { version: "3.1", build: "99" }],
  ] as const) {
    assert.deepEqual(translate(event).app, app);
  }
});

test("timestamps may be seconds, or text in any time zone", () => {
  for (const [timestamp, occurredAt] of [
    [1_780_000_000.5, "2026-05-28T20:26:40.500Z"],
    ["1780000000.5", "2026-05-28T20:26:40.500Z"],
    ["2026-05-28T20:26:40", "2026-05-28T20:26:40.000Z"],
    ["2026-05-28T22:26:40.5+02:00", "2026-05-28T20:26:40.500Z"],
    ["yesterday", undefined],
    [1e300, undefined],
  ] as const) {
    assert.equal(translate({ timestamp }).occurredAt, occurredAt);
  }
});

test("messages of one template get one fingerprint, and an app's own fingerprint is kept", () => {
  const of = (event: Record<string, unknown>) => translate(event).fingerprint;
  assert.deepEqual(of({ message: "user 1 signed in" }), of({ message: "user 22 signed in" }));
  const parameters = (name: string) => ({
    logentry: { message: "hello %s", formatted: `hello ${name}`, params: [name] },
  });
  assert.deepEqual(of(parameters("Ada")), of(parameters("Bob")));
  assert.equal(translate(parameters("Ada")).message, "hello Ada");
  assert.deepEqual(of({ message: "m", fingerprint: ["{{default}}", 7] }), ["{{ default }}", "7"]);
  assert.equal(of({ fingerprint: ["{{ default }}"], exception: [{ type: "E" }] }), undefined);
});
