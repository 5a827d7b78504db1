import assert from "node:assert/strict";
import { test } from "node:test";
import { makeOrganisation } from "../../testing/make-organisation.ts";
import { startService } from "../../testing/start-service.ts";

function movableClock() {
  let now = new Date("2026-05-01T12:00:00.000Z").getTime();
  return {
    clock: { now: () => new Date(now) },
    move: (seconds: number) => {
      now += seconds * 1000;
    },
  };
}

test("a token gets 60 requests a minute across all servers, and can continue after Retry-After", async () => {
  const { clock, move } = movableClock();
  await using first = await startService({}, { clock });
  await using second = await startService(first.env, { clock });
  const acme = await makeOrganisation(first);
  const send = (index: number) => (index % 2 === 0 ? first : second).fileTicket(acme.tokens.web, { title: "t" });

  const within = await Promise.all(Array.from({ length: 60 }, (_, index) => send(index)));
  assert.ok(within.every(({ status }) => status === 201));

  move(12.5);
  for (const server of [0, 1]) {
    const refused = await send(server);
    assert.deepEqual([refused.status, refused.body.error], [429, "rate_limit_exceeded"]);
    assert.equal(refused.headers.get("retry-after"), "48");
  }
  move(47.4);
  assert.equal((await send(0)).headers.get("retry-after"), "1");
  move(0.6);
  assert.equal((await send(0)).status, 201);
});

test("no 60-second window exceeds the rate, and refused requests do not count", async () => {
  const { clock, move } = movableClock();
  await using lodge = await startService({}, { clock });
  const acme = await makeOrganisation(lodge);
  const countFiled = async (count: number) => {
    const answers = await Promise.all(
      Array.from({ length: count }, () => lodge.fileTicket(acme.tokens.web, { title: "t" })),
    );
    return answers.filter(({ status }) => status === 201).length;
  };
  assert.equal(await countFiled(1), 1);
  move(58);
  assert.equal(await countFiled(70), 59);
  move(2);
  assert.equal(await countFiled(70), 1, "the window also slides across the end of a minute");
  move(57.9);
  assert.equal(await countFiled(70), 0);
  move(0.1);
  assert.equal(await countFiled(70), 59);
  move(600);
  assert.equal(await countFiled(70), 60);
});

test("a rate limit window that a wrong clock started in the future is restarted, also for replays", async () => {
  const { clock, move } = movableClock();
  await using lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "2" }, { clock });
  const acme = await makeOrganisation(lodge);
  const key = { "idempotency-key": "k" };
  const status = async () => (await lodge.fileTicket(acme.tokens.web, { title: "t" }, key)).status;
  move(86_400);
  assert.deepEqual([await status(), await status(), await status()], [201, 201, 429]);
  move(-86_400);
  assert.deepEqual([await status(), await status(), await status()], [201, 201, 429]);
  // The clocks of two machines may differ a little.
  move(-3);
  assert.equal(await status(), 429);
});

test("every request of the token counts, replays and refusals too", async () => {
  await using lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "3" });
  const acme = await makeOrganisation(lodge);
  const key = { "idempotency-key": "k" };
  assert.equal((await lodge.fileTicket(acme.tokens.web, { title: "t" }, key)).status, 201);
  assert.equal((await lodge.fileTicket(acme.tokens.web, { title: "t" }, key)).status, 201);
  assert.equal((await lodge.fileTicket(acme.tokens.web, {})).status, 400);
  const refused = await lodge.fileTicket(acme.tokens.web, { title: "t" }, key);
  assert.deepEqual([refused.status, refused.body.error], [429, "rate_limit_exceeded"]);
});

test("the rate limit is checked before the permission, the key, a replay and the body", async () => {
  await using lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "1" });
  const acme = await makeOrganisation(lodge);
  assert.equal((await lodge.fileTicket(acme.tokens.powerless, { title: "t" })).status, 403);
  assert.equal((await lodge.fileTicket(acme.tokens.powerless, "{", { "idempotency-key": "" })).status, 429);
});

test("each token is counted separately, and invalid tokens are not counted", async () => {
  await using lodge = await startService({ LODGE_TICKET_RATE_PER_MINUTE: "1" });
  const acme = await makeOrganisation(lodge);
  const body = { title: "t", projectId: acme.web.id };
  assert.equal((await lodge.fileTicket(acme.tokens.web, body)).status, 201);
  assert.equal((await lodge.fileTicket(acme.tokens.all, body)).status, 201);
  assert.equal((await lodge.fileTicket(acme.tokens.web, body)).status, 429);
  for (let request = 0; request < 3; request++) assert.equal((await lodge.fileTicket("nonsense", body)).status, 401);
});
