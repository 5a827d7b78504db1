import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { envelopePart } from "../../testing/encode-form.ts";
import { type Door, startDoor } from "../../testing/start-door.ts";

let door: Door;
beforeEach(async () => {
  door = await startDoor({ LODGE_INGEST_RATE_LIMITS: "on", LODGE_INGEST_KEY_RATE_PER_MINUTE: "1" });
});
afterEach(() => door[Symbol.asyncDispose]());

const page = "https://app.example.test";
const allowOrigins = (origins: string[] | null) =>
  door.deps.db.updateTable("apps").set({ allowed_origins: origins }).execute();

test("a preflight succeeds for any origin, without a key", async () => {
  await allowOrigins(["https://only.example.test"]);
  for (const [path, method] of [
    ["/api/ingest", "POST"],
    ["/api/config", "GET"],
  ] as const) {
    const { status, text, headers } = await door.request("OPTIONS", path, {
      headers: {
        origin: page,
        "access-control-request-method": method,
        "access-control-request-headers": "authorization,content-type",
      },
    });
    assert.deepEqual([status, text], [204, ""]);
    assert.equal(headers.get("access-control-allow-origin"), "*");
    assert.equal(headers.get("access-control-allow-methods"), method);
    assert.equal(
      headers.get("access-control-allow-headers"),
      "authorization, content-type, content-encoding, traceparent",
    );
    assert.equal(headers.get("access-control-max-age"), "3600");
    assert.equal(headers.get("access-control-allow-credentials"), null);
  }
});

/** The Access-Control-Allow-Origin and Vary headers of three responses, which have these statuses in this order. */
async function corsHeaders(origin: string | undefined, ...statuses: number[]) {
  const headers = { authorization: `Bearer ${door.key}`, ...(origin && { origin }) };
  const answers = [
    await door.submit([envelopePart({ reportId: "r" })], {}, headers),
    await door.submit([], {}, headers),
    await door.request("GET", "/api/config", { headers }),
  ];
  assert.deepEqual(
    answers.map(({ status }) => status),
    statuses,
  );
  for (const answer of answers) {
    assert.equal(answer.headers.get("access-control-expose-headers"), "Retry-After");
    assert.equal(answer.headers.get("access-control-allow-credentials"), null);
  }
  await door.deps.pool.query("truncate rate_limits");
  return [
    new Set(answers.map((answer) => answer.headers.get("access-control-allow-origin"))),
    new Set(answers.map((answer) => answer.headers.get("vary"))),
  ];
}

test("pages of any origin may read the responses, refusals included, of an app that lists no origins", async () => {
  assert.deepEqual(await corsHeaders(page, 200, 429, 200), [new Set(["*"]), new Set([null])]);
  assert.deepEqual(await corsHeaders(undefined, 200, 429, 200), [new Set(["*"]), new Set([null])]);
  const { status, headers } = await door.submit([], {}, { origin: page, authorization: "Bearer nobody" });
  assert.deepEqual([status, headers.get("access-control-allow-origin")], [401, "*"]);
});

test("only the origins that an app lists may read its responses", async () => {
  await allowOrigins(["https://other.example.test", page]);
  assert.deepEqual(await corsHeaders(page, 200, 429, 200), [new Set([page]), new Set(["Origin"])]);
  for (const origin of ["https://app.example.test.evil.test", "http://app.example.test", "null", undefined]) {
    assert.deepEqual(await corsHeaders(origin, 200, 429, 200), [new Set([null]), new Set(["Origin"])]);
  }
  await allowOrigins([]);
  assert.deepEqual(await corsHeaders(page, 200, 429, 200), [new Set([null]), new Set(["Origin"])]);
});

test("the ticket API does not answer preflights or allow any origin", async () => {
  const preflight = await door.request("OPTIONS", "/api/v1/tickets", {
    headers: { origin: page, "access-control-request-method": "POST" },
  });
  assert.equal(preflight.headers.get("access-control-allow-origin"), null);
  assert.notEqual(preflight.status, 204);
  const filed = await door.fileTicket("nobody", { title: "t" }, { origin: page });
  assert.deepEqual([filed.status, filed.headers.get("access-control-allow-origin")], [401, null]);
});
