import assert from "node:assert/strict";
import { test } from "node:test";
import { addressBucket } from "./address-bucket.ts";

test("an IPv6 address counts as its /64, an IPv4 address as itself, in any notation", () => {
  const buckets = {
    "192.0.2.7": "192.0.2.7",
    "::ffff:192.0.2.7": "192.0.2.7",
    "::FFFF:c000:207": "192.0.2.7",
    "0:0:0:0:0:ffff:c000:0207": "192.0.2.7",
    "2001:db8:1:2::": "2001:db8:1:2::/64",
    "2001:db8:1:2::1": "2001:db8:1:2::/64",
    "2001:0DB8:0001:0002:ffff:ffff:ffff:ffff": "2001:db8:1:2::/64",
    "2001:db8:1:3::1": "2001:db8:1:3::/64",
    "2001:db8::1:2:3:4:5": "2001:db8:0:1::/64",
    "::1": "0:0:0:0::/64",
    "fe80::1%eth0": "fe80:0:0:0::/64",
    "64:ff9b::192.0.2.7": "64:ff9b:0:0::/64",
    unknown: "unknown",
  };
  for (const [address, bucket] of Object.entries(buckets)) assert.equal(addressBucket(address), bucket, address);
  assert.equal(addressBucket("x".repeat(1000)).length, 45);
});
