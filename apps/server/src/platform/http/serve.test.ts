import assert from "node:assert/strict";
import { test } from "node:test";
import { operations } from "@lodge/contract/operations";
import { buildApp } from "../../app.ts";
import { checkAnswer } from "../../testing/check-answer.ts";
import { startService } from "../../testing/start-service.ts";

/**
 * The routes that are not operations: for the operator's machines, preflight requests, the web app, and the API
 * reference.
 */
const others = [
  "GET /*",
  "GET /docs",
  "GET /docs/errors",
  "GET /docs/guides",
  "GET /docs/guides/*",
  "GET /docs/pages.css",
  "GET /docs/redoc.js",
  "GET /docs/reference.js",
  "GET /healthz",
  "GET /mcp",
  "GET /metrics",
  "GET /openapi.json",
  "GET /readyz",
  "OPTIONS /api/:appNumber/envelope",
  "OPTIONS /api/:appNumber/store",
  "OPTIONS /api/config",
  "OPTIONS /api/devices/:deviceId/threads",
  "OPTIONS /api/ingest",
  "OPTIONS /api/threads/:threadId/messages",
];

/** The operations of Sentry's protocol: its clients end their paths with a slash. */
const alsoWithSlash = [
  "OPTIONS /api/:appNumber/envelope/",
  "OPTIONS /api/:appNumber/store/",
  "POST /api/:appNumber/envelope/",
  "POST /api/:appNumber/store/",
];

test("every operation of the contract has one route, and every other route is listed here", async () => {
  await using lodge = await startService();
  const served: string[] = [];
  const beside: string[] = [];
  const slashed: string[] = [];
  const app = buildApp(lodge.deps, (server) =>
    server.addHook("onRoute", ({ method, url, config }) => {
      if (method === "HEAD") return;
      if (/.\/$/.test(url)) slashed.push(`${method} ${url}`);
      else if (config?.operation) served.push(config.operation.id);
      else beside.push(`${method} ${url}`);
    }),
  );
  await app.ready();
  await app.close();
  assert.deepEqual(served.sort(), operations.map(({ operation }) => operation.id).sort());
  assert.deepEqual(beside.sort(), others);
  assert.deepEqual(slashed.sort(), alsoWithSlash);
});

test("a response that its operation does not list fails the test", () => {
  const ticket = { id: "x", error: "thread_closed", message: "m", docs: "d" };
  const check = (status: number, body: object) => () =>
    checkAnswer("POST", "/api/v1/tickets", status, JSON.stringify(body));
  assert.throws(check(409, ticket), /fileTicket .* answered 409 which it does not list/);
  assert.throws(
    check(403, { error: "project_not_found", message: "m", docs: "d" }),
    /does not list/,
    "the code belongs to another status",
  );
  assert.throws(check(201, { id: "x" }), /a body that does not fit/);
  assert.throws(
    check(400, { error: "invalid_input", message: "m", docs: "d" }),
    /does not fit/,
    "the details are missing",
  );
  assert.doesNotThrow(check(404, { error: "project_not_found", message: "m", docs: "d" }));
});
