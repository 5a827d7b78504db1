import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openEgressProxy } from "./egress-proxy.ts";

/** A host that is allowed, and a way to it through the proxy. */
async function open(onConnection: (socket: Socket) => void) {
  const folder = await mkdtemp(join(tmpdir(), "lodge-proxy-"));
  const host = createServer({ allowHalfOpen: true }, onConnection).listen(0, "127.0.0.1");
  await once(host, "listening");
  const target = `127.0.0.1:${(host.address() as AddressInfo).port}`;
  const path = join(folder, "proxy.sock");
  const proxy = await openEgressProxy(path, [target], () => {});
  return {
    target,
    connect: async () => {
      const socket = connect(path);
      await once(socket, "connect");
      return socket;
    },
    [Symbol.asyncDispose]: async () => {
      await proxy.close();
      host.close();
      await rm(folder, { recursive: true });
    },
  };
}

test("all that a host sends before it hangs up arrives, however late it is read", async () => {
  const bytes = 10_000_000;
  await using way = await open((socket) => {
    socket.end(Buffer.alloc(bytes, "x"));
  });
  const client = await way.connect();
  client.write(`CONNECT ${way.target} HTTP/1.1\r\n\r\n`);
  let length = 0;
  for await (const piece of client) {
    length += (piece as Buffer).length;
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.equal(length, bytes + "HTTP/1.1 200 Connection established\r\n\r\n".length);
});

test("a request or an answer over HTTP that is cut off, or odd, ends nothing but itself", async () => {
  const cut = "HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nx";
  const trailing = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\ntrailer: x\r\n\r\n";
  for (const [header, answer] of [
    ["accept: x", cut],
    ["accept: x", "HTTP/1.1 099 No\r\n\r\n"],
    ["accept: x", trailing],
    ["trailer: x", cut],
    ["trailer: x\r\nexpect: 100-continue", cut],
  ]) {
    await using way = await open((socket) => {
      socket.on("error", () => {});
      socket.on("data", () => socket.write(answer ?? "", () => socket.destroy()));
    });
    const client = await way.connect();
    client.write(`GET http://${way.target}/ HTTP/1.1\r\nhost: x\r\nconnection: close\r\n${header}\r\n\r\n`);
    await once(
      client.resume().on("error", () => {}),
      "close",
    );
  }
});
