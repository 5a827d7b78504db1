import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { openEgressProxy } from "../src/egress-proxy.ts";
import { isReachable, type Networks, parseNetwork, type ResolveHost } from "../src/public-address.ts";

/** An allowed host, and a connection to it through the proxy. */
async function open(onConnection: (socket: Socket) => void) {
  const folder = await mkdtemp(join(tmpdir(), "lodge-proxy-"));
  const host = createServer({ allowHalfOpen: true }, onConnection).listen(0, "127.0.0.1");
  await once(host, "listening");
  const target = `127.0.0.1:${(host.address() as AddressInfo).port}`;
  const path = join(folder, "proxy.sock");
  const proxy = await openEgressProxy(path, { hosts: [target], networks: [] }, () => {});
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

test("data that a host sends before it hangs up arrives, however late it is read", async () => {
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

test("a truncated or malformed HTTP request or response only affects itself", async () => {
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

const networks = (...texts: string[]): Networks => texts.map(parseNetwork).filter((network) => network !== undefined);

test("an address is reachable if it is public in any notation, or in an allowed network", () => {
  for (const address of ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::5db8:d70e"]) {
    assert.ok(isReachable(address, []), address);
  }
  const inner = [
    ...["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "100.100.100.200"],
    ...["0.0.0.0", "0.1.2.3", "224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "168.63.129.16", "x", ""],
    ...["::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "2001:db8::1"],
    ...["::ffff:127.0.0.1", "::ffff:a00:1", "::127.0.0.1", "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1"],
    ...["2002:7f00:1::", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "100::1", "4000::1"],
  ];
  for (const address of inner) assert.ok(!isReachable(address, []), address);
  const open = networks("10.1.0.0/16", "::1", "127.0.0.1");
  for (const address of ["10.1.2.3", "::1", "127.0.0.1", "::ffff:127.0.0.1"])
    assert.ok(isReachable(address, open), address);
  for (const address of ["10.2.0.1", "127.0.0.2", "fd00::1"]) assert.ok(!isReachable(address, open), address);
  assert.equal(parseNetwork("10.0.0.0/33"), undefined);
  assert.equal(parseNetwork("example.com"), undefined);
});

test("an allowed name cannot resolve to a private address, and is resolved once", async () => {
  const folder = await mkdtemp(join(tmpdir(), "lodge-proxy-"));
  const host = createServer((socket) => socket.end("HTTP/1.1 204 No\r\n\r\n")).listen(0, "127.0.0.1");
  await once(host, "listening");
  const { port } = host.address() as AddressInfo;
  /** The response to each kind of request, with a resolver that returns these lists of addresses in turn. */
  const ask = async (open: Networks, ...answers: string[][]) => {
    let asked = 0;
    const resolve: ResolveHost = async () =>
      (answers[Math.min(asked++, answers.length - 1)] ?? []).map((address) => ({ address, family: 4 }));
    const refused: string[] = [];
    const path = join(folder, `${Math.random()}.sock`);
    const rules = { hosts: [`api.test:${port}`], networks: open };
    const proxy = await openEgressProxy(path, rules, (target) => refused.push(target), resolve);
    const said: string[] = [];
    for (const line of [`CONNECT api.test:${port} HTTP/1.1`, `GET http://api.test:${port}/ HTTP/1.1`]) {
      asked = 0;
      const client = connect(path, () => client.write(`${line}\r\nhost: x\r\nconnection: close\r\n\r\n`));
      const [first] = (await once(client, "data")) as [Buffer];
      said.push(first.toString().split(" ")[1] ?? "");
      assert.equal(asked, 1);
      client.destroy();
    }
    await proxy.close();
    return { said, refused: refused.length };
  };
  try {
    assert.deepEqual(await ask([], ["127.0.0.1"]), { said: ["403", "403"], refused: 2 });
    assert.deepEqual(await ask([], ["93.184.215.14", "10.0.0.1"]), { said: ["403", "403"], refused: 2 });
    // The second list is only returned to a second lookup.
    const opened = await ask(networks("127.0.0.1"), ["127.0.0.1"], ["192.0.2.1"]);
    assert.deepEqual(opened, { said: ["200", "204"], refused: 0 });
  } finally {
    host.close();
    await rm(folder, { recursive: true });
  }
});
