import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { until } from "../../server/src/testing/until.ts";
import { openLodgeServer } from "../src/lodge-server.ts";

test("the runner retries a request whose response was truncated, and loses no run", async () => {
  let asked = 0;
  const server = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-length": 36 });
    if (++asked === 1) response.write('{"leaseSeconds"', () => response.destroy());
    else response.end('{"leaseSeconds": 25, "answer": null}');
  }).listen(0, "127.0.0.1");
  await until(() => server.listening);
  const away: string[] = [];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const lodge = openLodgeServer(url, "token", ({ message }) => away.push(message));
    const { answer } = await lodge.heartbeat({ id: "1", fence: 1 }, new AbortController().signal);
    assert.equal(answer, null);
    assert.equal(asked, 2);
    assert.match(away.join(), /^The service cannot be reached/);
  } finally {
    server.close();
  }
});
