import assert from "node:assert/strict";
import { test } from "node:test";
import { type CruisedModule, dashboard, moduleCycles, server } from "./module-cycles.ts";

const module = (source: string, ...resolved: string[]): CruisedModule => ({
  source: `apps/server/src/${source}`,
  dependencies: resolved.map((file) => ({ resolved: `apps/server/src/${file}` })),
});

const loop = [
  module("board/tickets/file.ts", "board/tickets/place.ts", "board/agents/queue.ts", "platform/deps.ts"),
  module("board/agents/queue.ts", "people/credits/take.ts"),
  module("board/agents/list.ts", "people/credits/count.ts"),
  module("people/credits/count.ts", "board/tickets/place.ts"),
];

test("a circular dependency of modules is reported once, with its files", () => {
  assert.deepEqual(moduleCycles(loop, server), [
    [
      "board/tickets → board/agents → people/credits → board/tickets",
      "  board/tickets/file.ts → board/agents/queue.ts",
      "  board/agents/queue.ts → people/credits/take.ts",
      "  board/agents/list.ts → people/credits/count.ts",
      "  people/credits/count.ts → board/tickets/place.ts",
    ].join("\n"),
  ]);
});

test("two cycles are reported in two lines", () => {
  const other = [
    module("board/boards/view.ts", "inbox/replies/read.ts"),
    module("inbox/replies/post.ts", "board/boards/lock.ts"),
  ];
  assert.deepEqual(
    moduleCycles([...loop, ...other], server).map((cycle) => cycle.split("\n", 1)[0]),
    ["board/tickets → board/agents → people/credits → board/tickets", "board/boards → inbox/replies → board/boards"],
  );
});

test("cycles between parts of the platform are reported, and a file outside of them is its own part", () => {
  const modules = [
    module("platform/http/routes.ts", "platform/deps.ts", "platform/http/body.ts"),
    module("platform/deps.ts", "platform/observe/log.ts"),
    module("platform/observe/log.ts", "platform/http/body.ts"),
  ];
  assert.deepEqual(
    moduleCycles(modules, server).map((cycle) => cycle.split("\n", 1)[0]),
    ["platform/http → platform/deps.ts → platform/observe → platform/http"],
  );
});

test("tests, their helpers, and files that combine the modules are ignored", () => {
  const modules = [
    module("board/tickets/file.ts", "board/agents/queue.ts", "platform/deps.ts"),
    module("board/agents/agents.test.ts", "board/tickets/file.ts"),
    module("board/agents/queue.ts", "testing/start.ts", "app.ts"),
    module("testing/start.ts", "board/tickets/file.ts"),
    module("app.ts", "board/tickets/file.ts"),
  ];
  assert.deepEqual(moduleCycles(modules, server), []);
});

test("a folder of the dashboard and its subfolder can form a cycle", () => {
  const file = (source: string, resolved: string): CruisedModule => ({
    source: `${dashboard.source}${source}`,
    dependencies: [{ resolved: `${dashboard.source}${resolved}` }],
  });
  const modules = [
    file("board/palette.ts", "board/ticket/priority.tsx"),
    file("board/ticket/priority.tsx", "board/palette.ts"),
    file("main.tsx", "board/palette.ts"),
  ];
  assert.deepEqual(
    moduleCycles(modules, dashboard).map((cycle) => cycle.split("\n", 1)[0]),
    ["board → board/ticket → board"],
  );
});
