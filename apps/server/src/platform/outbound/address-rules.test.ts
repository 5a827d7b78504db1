import assert from "node:assert/strict";
import { test } from "node:test";
import { blockListOf, refusalOfAddress } from "./address-rules.ts";

const none = blockListOf([]);

/** Every way to write an IPv4 address, alone or embedded in an IPv6 address. 93.184.215.14 is public. */
const forms = {
  plain: (dotted: string) => dotted,
  "IPv4-mapped": (dotted: string) => `::ffff:${dotted}`,
  "IPv4-compatible": (dotted: string) => `::${dotted}`,
  SIIT: (dotted: string) => `::ffff:0:${dotted}`,
  NAT64: (dotted: string) => `64:ff9b::${dotted}`,
  "6to4": (dotted: string) => `2002:${inHex(dotted)}::1`,
  ISATAP: (dotted: string) => `2600:1:2:3:0:5efe:${dotted}`,
  "ISATAP of a universal address": (dotted: string) => `2600:1:2:3:200:5efe:${dotted}`,
};

function inHex(dotted: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split(".").map(Number);
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

for (const [form, write] of Object.entries(forms)) {
  test(`an embedded IPv4 address is checked as IPv4: ${form}`, () => {
    assert.match(refusalOfAddress(write("127.0.0.1"), none)?.rule ?? "allowed", /^loopback/);
    assert.match(refusalOfAddress(write("10.0.0.1"), none)?.rule ?? "allowed", /^private/);
    assert.match(refusalOfAddress(write("169.254.169.254"), none)?.rule ?? "allowed", /^metadata/);
    assert.equal(refusalOfAddress(write("93.184.215.14"), none), undefined);
    assert.equal(
      refusalOfAddress(write("127.0.0.1"), blockListOf(["127.0.0.1/32"])),
      undefined,
      "an address in an allowed network is not refused",
    );
  });
}

test("an address that is not public is refused", () => {
  for (const [address, rule] of [
    ["::", "unspecified"],
    ["::1", "loopback"],
    ["::ffff:0:7f00:1", "loopback"],
    ["fe80::5efe:93.184.215.14", "link-local"],
    ["fe80::1%eth0", "link-local"],
    ["fec0::1", "private"],
    ["fd00::1", "private"],
    ["ff02::1", "multicast"],
    ["64:ff9b:1::7f00:1", "reserved"],
    ["64:ff9b:0:1::7f00:1", "reserved"],
    ["0:0:0:1::1", "reserved"],
    ["100::1", "reserved"],
    ["100:0:0:1::1", "reserved"],
    ["2001::7f00:1", "reserved"],
    ["2001:2::1", "reserved"],
    ["2001:10::1", "reserved"],
    ["2001:20::1", "reserved"],
    ["2001:db8::1", "documentation"],
    ["3fff::1", "documentation"],
    ["5f00::1", "reserved"],
    ["4000::1", "reserved"],
    ["fe00::1", "reserved"],
    ["192.0.0.8", "reserved"],
    ["192.0.2.1", "documentation"],
    ["198.18.0.1", "reserved"],
    ["100.64.0.1", "shared"],
    ["240.0.0.1", "reserved"],
    ["255.255.255.255", "reserved"],
    ["0.1.2.3", "unspecified"],
    ["nonsense", "no IP address"],
  ] as const) {
    assert.equal(refusalOfAddress(address, none)?.rule.split(" (")[0], rule, address);
  }
});

test("a public address is allowed", () => {
  for (const address of ["93.184.215.14", "8.8.8.8", "2606:2800:21f:cb07::1", "2a00:1450::1", "2001:4860:4860::8888"]) {
    assert.equal(refusalOfAddress(address, none), undefined, address);
  }
});
