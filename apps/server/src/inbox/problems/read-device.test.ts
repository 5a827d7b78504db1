import assert from "node:assert/strict";
import { test } from "node:test";
import { readDevice } from "./read-device.ts";

const webkit = "AppleWebKit/537.36 (KHTML, like Gecko)";
const agents = {
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/131.0.0.0 Safari/537.36`]: [
    "Chrome 131",
    "Windows 10 or 11",
  ],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/131.0.0.0 Safari/537.36 Edg/131.0.2903.70`]: [
    "Microsoft Edge 131",
    "Windows 10 or 11",
  ],
  "Mozilla/5.0 (Windows NT 6.1; Win64; x64; rv:109.0) Gecko/20100101 Firefox/115.0": ["Firefox 115", "Windows 7"],
  "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15":
    ["Safari 17", "macOS"],
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1":
    ["Safari 17", "iOS 17"],
  [`Mozilla/5.0 (Linux; Android 10; K) ${webkit} Chrome/131.0.0.0 Mobile Safari/537.36`]: ["Chrome 131", "Android"],
  "Mozilla/5.0 (Android 14; Mobile; rv:132.0) Gecko/132.0 Firefox/132.0": ["Firefox 132", "Android 14"],
  "Mozilla/5.0 (X11; Linux x86_64; rv:132.0) Gecko/20100101 Firefox/132.0": ["Firefox 132", "Linux"],
  "curl/8.5.0": [null, null],
  "my secret app/1.0 (something)": [null, null],
};

for (const [userAgent, expected] of Object.entries(agents)) {
  test(`the browser and the operating system are read from ${userAgent}`, () => {
    const { browser, os } = readDevice({ userAgent });
    assert.deepEqual([browser, os], expected);
  });
}

test("the operating system that was sent takes precedence over the user agent", () => {
  const [userAgent = ""] = Object.keys(agents);
  assert.equal(readDevice({ os: "iOS", osVersion: "17.5.1", userAgent }).os, "iOS 17");
  assert.equal(readDevice({ os: "Debian" }).os, "Debian");
});

test("without a device or a user agent, browser and operating system are null", () => {
  for (const device of [undefined, {}, { userAgent: "" }]) {
    assert.deepEqual(readDevice(device), { browser: null, os: null });
  }
});

test("a user agent is read only up to the length that browsers send", () => {
  const [chrome = ""] = Object.keys(agents);
  assert.deepEqual(readDevice({ userAgent: `${"x".repeat(5_000_000)} ${chrome}` }), { browser: null, os: null });
  assert.equal(readDevice({ userAgent: `${chrome} ${" mini/1.1_1".repeat(500_000)}` }).browser, "Chrome 131");
});
