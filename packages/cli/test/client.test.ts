import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { promisify } from "node:util";
import { freePort } from "../../../apps/server/src/testing/free-port.ts";
import { retrying } from "../src/client.ts";

/** A server that answers each request with the next status, and repeats the last one. */
async function answering(answers: [status: number, headers?: Record<string, string>][]) {
  let asked = 0;
  const server = createServer((_request, response) => {
    const [status, headers] = answers[Math.min(asked++, answers.length - 1)] ?? [500];
    response.writeHead(status, { "content-type": "application/json", ...headers }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    asked: () => asked,
    [Symbol.asyncDispose]: () => {
      server.closeAllConnections();
      return promisify(server.close.bind(server))();
    },
  };
}

function patient() {
  const waits: number[] = [];
  const terminal = {
    print: () => {},
    say: () => {},
    explain: () => {},
    hide: () => {},
    deadlineAt: Number.POSITIVE_INFINITY,
  };
  return { waits, send: retrying({ terminal, wait: async (ms) => void waits.push(ms) }) };
}

test("429 and 5xx are retried after Retry-After or exponential backoff; other responses are final", async () => {
  await using moody = await answering([[503], [429, { "retry-after": "7" }], [500], [201]]);
  const { waits, send } = patient();
  assert.equal((await send(moody.url, { method: "POST" })).status, 201);
  assert.equal(moody.asked(), 4);
  const within = ([from, to]: [number, number], ms = 0) => assert.ok(ms >= from && ms <= to, `${ms}`);
  within([250, 750], waits[0]);
  within([7000, 7250], waits[1]);
  within([1000, 3000], waits[2]);
  for (const status of [400, 401, 403, 404, 409, 413]) {
    await using final = await answering([[status]]);
    assert.equal((await send(final.url)).status, status);
    assert.equal(final.asked(), 1);
  }
});

test("a request whose response is truncated is retried", async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    response.writeHead(201, { "content-type": "application/json", "content-length": 11 });
    if (++asked === 1) response.write('{"id"', () => response.destroy());
    else response.end('{"id": "x"}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const answer = await patient().send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    assert.deepEqual([answer.status, await answer.json(), asked], [201, { id: "x" }, 2]);
  } finally {
    server.close();
  }
});

test("after five tries the call returns the last response, or fails if there was none", async () => {
  await using down = await answering([[503]]);
  const { waits, send } = patient();
  assert.equal((await send(down.url)).status, 503);
  assert.deepEqual([down.asked(), waits.length], [5, 4]);
  await assert.rejects(send(`http://127.0.0.1:${await freePort()}/`), /tried 5 times/);
});

test("a redirect is not followed", async () => {
  await using moved = await answering([[301, { location: "https://elsewhere.example.test/" }]]);
  await assert.rejects(patient().send(moved.url), /redirects to https:\/\/elsewhere\.example\.test\//);
});
