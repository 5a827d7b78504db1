import assert from "node:assert/strict";
import { test } from "node:test";
import { type CruisedModule, dashboard, roomCircles, server } from "./room-circles.ts";

const module = (source: string, ...resolved: string[]): CruisedModule => ({
  source: `apps/server/src/${source}`,
  dependencies: resolved.map((file) => ({ resolved: `apps/server/src/${file}` })),
});

const loop = [
  module("tickets/file.ts", "tickets/place.ts", "agents/queue.ts", "platform/deps.ts"),
  module("agents/queue.ts", "credits/take.ts"),
  module("agents/list.ts", "credits/count.ts"),
  module("credits/count.ts", "tickets/place.ts"),
];

test("rooms that know each other in a circle are told of once, with the files that make it", () => {
  assert.deepEqual(roomCircles(loop, server), [
    [
      "tickets → agents → credits → tickets",
      "  tickets/file.ts → agents/queue.ts",
      "  agents/queue.ts → credits/take.ts",
      "  agents/list.ts → credits/count.ts",
      "  credits/count.ts → tickets/place.ts",
    ].join("\n"),
  ]);
});

test("two circles are two lines", () => {
  const other = [module("boards/view.ts", "replies/read.ts"), module("replies/post.ts", "boards/lock.ts")];
  assert.deepEqual(
    roomCircles([...loop, ...other], server).map((circle) => circle.split("\n", 1)[0]),
    ["tickets → agents → credits → tickets", "boards → replies → boards"],
  );
});

test("districts of the platform make a circle as rooms do, and a file in none of them is one by itself", () => {
  const modules = [
    module("platform/http/routes.ts", "platform/deps.ts", "platform/http/body.ts"),
    module("platform/deps.ts", "platform/observe/log.ts"),
    module("platform/observe/log.ts", "platform/http/body.ts"),
  ];
  assert.deepEqual(
    roomCircles(modules, server).map((circle) => circle.split("\n", 1)[0]),
    ["platform/http → platform/deps.ts → platform/observe → platform/http"],
  );
});

test("tests, what they start, and what puts the rooms together make no circle", () => {
  const modules = [
    module("tickets/file.ts", "agents/queue.ts", "platform/deps.ts"),
    module("agents/agents.test.ts", "tickets/file.ts"),
    module("agents/queue.ts", "testing/start.ts", "app.ts"),
    module("testing/start.ts", "tickets/file.ts"),
    module("app.ts", "tickets/file.ts"),
  ];
  assert.deepEqual(roomCircles(modules, server), []);
});

test("a folder of the dashboard and one inside it make a circle as two folders do", () => {
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
    roomCircles(modules, dashboard).map((circle) => circle.split("\n", 1)[0]),
    ["board → board/ticket → board"],
  );
});
