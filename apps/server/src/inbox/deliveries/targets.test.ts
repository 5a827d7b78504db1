import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort } from "../../testing/free-port.ts";
import { startReceiver } from "../../testing/start-receiver.ts";
import { startService, withWorker } from "../../testing/start-service.ts";
import { submitReport } from "../../testing/submit-report.ts";
import { attemptsAt, deliveriesIn, subscribe, webhook } from "../../testing/subscribe.ts";

const once = { ...withWorker, LODGE_WEBHOOK_RETRY_SCHEDULE: "1h" };

const refused = {
  "127.0.0.1": "127.0.0.1 is loopback (127.0.0.0/8)",
  "127.255.0.9": "127.255.0.9 is loopback (127.0.0.0/8)",
  "0x7f.1": "127.0.0.1 is loopback (127.0.0.0/8)",
  "2130706433": "127.0.0.1 is loopback (127.0.0.0/8)",
  "0177.0.0.1": "127.0.0.1 is loopback (127.0.0.0/8)",
  "[::1]": "::1 is loopback (::1/128)",
  "[::ffff:127.0.0.1]": "::ffff:7f00:1 (IPv4-mapped of 127.0.0.1) is loopback (127.0.0.0/8)",
  "[::ffff:7f00:1]": "::ffff:7f00:1 (IPv4-mapped of 127.0.0.1) is loopback (127.0.0.0/8)",
  "[::127.0.0.1]": "::7f00:1 (IPv4-compatible of 127.0.0.1) is loopback (127.0.0.0/8)",
  "[64:ff9b::7f00:1]": "64:ff9b::7f00:1 (NAT64 of 127.0.0.1) is loopback (127.0.0.0/8)",
  "[64:ff9b::a00:1]": "64:ff9b::a00:1 (NAT64 of 10.0.0.1) is private (10.0.0.0/8)",
  "[64:ff9b:1::1]": "64:ff9b:1::1 is reserved (64:ff9b:1::/48)",
  "[2002:7f00:1::1]": "2002:7f00:1::1 (6to4 of 127.0.0.1) is loopback (127.0.0.0/8)",
  "[2002:a9fe:a9fe::]": "2002:a9fe:a9fe:: (6to4 of 169.254.169.254) is metadata (169.254.169.254/32)",
  "[2001:0:4136:e378::]": "2001:0:4136:e378:: is reserved (2001::/23)",
  "10.1.2.3": "10.1.2.3 is private (10.0.0.0/8)",
  "172.31.255.255": "172.31.255.255 is private (172.16.0.0/12)",
  "192.168.0.1": "192.168.0.1 is private (192.168.0.0/16)",
  "100.64.0.1": "100.64.0.1 is shared (100.64.0.0/10)",
  "169.254.169.254": "169.254.169.254 is metadata (169.254.169.254/32)",
  "169.254.1.1": "169.254.1.1 is link-local (169.254.0.0/16)",
  "0.0.0.0": "0.0.0.0 is unspecified (0.0.0.0/8)",
  "[::]": ":: is unspecified (::/128)",
  "224.0.0.1": "224.0.0.1 is multicast (224.0.0.0/4)",
  "255.255.255.255": "255.255.255.255 is reserved (240.0.0.0/4)",
  "[fd00:ec2::254]": "fd00:ec2::254 is metadata (fd00:ec2::254/128)",
  "[fd12::1]": "fd12::1 is private (fc00::/7)",
  "[fe80::1]": "fe80::1 is link-local (fe80::/10)",
  "[ff02::1]": "ff02::1 is multicast (ff00::/8)",
};

test("a private address is refused however it is written, and the reason names the rule", async () => {
  await using receiver = await startReceiver(undefined, "0.0.0.0");
  await using lodge = await startService(once);
  const hosts = Object.keys(refused);
  const { key, subscribers } = await subscribe(
    lodge,
    hosts.map((host) => ({ kind: "webhook" as const, url: `http://${host}:${receiver.port}/` })),
  );
  await submitReport(lodge.url, key, { reportId: "r" });
  const deliveries = await deliveriesIn(lodge, "failed", hosts.length);
  for (const [index, [host, rule]] of Object.entries(refused).entries()) {
    const delivery = deliveries.find((candidate) => candidate.subscriber_id === subscribers[index]?.id);
    const [attempt] = await attemptsAt(lodge, delivery?.id);
    assert.equal(
      attempt?.reason,
      `The address is not allowed: ${rule}. Allow it with LODGE_WEBHOOK_ALLOWED_NETWORKS.`,
      host,
    );
    assert.equal(attempt?.status, null);
  }
  assert.equal(receiver.received.length, 0);
});

test("a host name is refused if any of its addresses is refused", async () => {
  await using receiver = await startReceiver();
  const resolveHost = async (name: string) =>
    name === "private.test"
      ? [{ address: "127.0.0.1", family: 4 }]
      : [
          { address: "127.0.0.2", family: 4 },
          { address: "10.0.0.1", family: 4 },
        ];
  await using lodge = await startService({ ...once, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.2/32" }, { resolveHost });
  const { key } = await subscribe(
    lodge,
    ["private.test", "mixed.test"].map((name) => ({
      kind: "webhook" as const,
      url: `http://${name}:${receiver.port}/`,
    })),
  );
  await submitReport(lodge.url, key, { reportId: "r" });
  const reasons = [];
  for (const { id } of await deliveriesIn(lodge, "failed", 2)) reasons.push((await attemptsAt(lodge, id))[0]?.reason);
  assert.deepEqual(
    new Set(reasons),
    new Set([
      "The address is not allowed: private.test resolves to 127.0.0.1, which is loopback (127.0.0.0/8). Allow it with LODGE_WEBHOOK_ALLOWED_NETWORKS.",
      "The address is not allowed: mixed.test resolves to 10.0.0.1, which is private (10.0.0.0/8). Allow it with LODGE_WEBHOOK_ALLOWED_NETWORKS.",
    ]),
  );
  assert.equal(receiver.received.length, 0);
});

test("the connection goes to the address that was checked, even if the name resolves differently afterwards", async () => {
  const port = await freePort();
  await using allowed = await startReceiver(undefined, "127.0.0.2", port);
  await using secret = await startReceiver(undefined, "127.0.0.1", port);
  let asked = 0;
  const resolveHost = async () => [{ address: asked++ === 0 ? "127.0.0.2" : "127.0.0.1", family: 4 }];
  await using lodge = await startService({ ...once, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.2/32" }, { resolveHost });
  const { key } = await subscribe(lodge, [{ kind: "webhook", url: `http://rebinding.test:${allowed.port}/` }]);
  await submitReport(lodge.url, key, { reportId: "r" });
  await allowed.until(1);
  await deliveriesIn(lodge, "delivered");
  assert.equal(asked, 1);
  assert.equal(allowed.received[0]?.headers.host, `rebinding.test:${allowed.port}`);
  assert.equal(secret.received.length, 0);
});

test("a redirect counts as a failure and is not followed", async () => {
  await using secret = await startReceiver();
  await using receiver = await startReceiver((_request, response) =>
    response.writeHead(307, { location: `${secret.url}/admin` }).end(),
  );
  await using lodge = await startService({ ...once, LODGE_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.1" });
  const { key } = await subscribe(lodge, [webhook(receiver)]);
  await submitReport(lodge.url, key, { reportId: "r" });
  const [delivery] = await deliveriesIn(lodge, "failed");
  const [attempt] = await attemptsAt(lodge, delivery?.id);
  assert.equal(attempt?.status, 307);
  assert.equal(attempt?.reason, `It answered 307; redirects are not followed (to ${secret.url}/admin).`);
  assert.equal(secret.received.length, 0);
});

test("LODGE_WEBHOOK_ALLOWED_NETWORKS allows exactly the networks that it lists", async () => {
  await using receiver = await startReceiver(undefined, "::1");
  await using lodge = await startService({ ...once, LODGE_WEBHOOK_ALLOWED_NETWORKS: "10.0.0.0/8, ::1" });
  const { key } = await subscribe(lodge, [
    webhook(receiver),
    { kind: "webhook", url: `http://127.0.0.1:${receiver.port}/` },
  ]);
  await submitReport(lodge.url, key, { reportId: "r" });
  await receiver.until(1);
  await deliveriesIn(lodge, "delivered");
  await deliveriesIn(lodge, "failed");
});

test("the server does not start with an invalid network or schedule", async () => {
  const wrong = {
    LODGE_WEBHOOK_ALLOWED_NETWORKS: ["127.0.0.1/33", "localhost", "::1/129"],
    LODGE_WEBHOOK_RETRY_SCHEDULE: ["5", "5s,", "10y", "1ms", "8d", Array(21).fill("1s").join(",")],
  };
  for (const [name, values] of Object.entries(wrong)) {
    for (const value of values) await assert.rejects(startService({ [name]: value }), new RegExp(`${name} must be`));
  }
});
