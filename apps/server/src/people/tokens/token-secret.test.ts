import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { hashTokenSecret, isTokenSecret, makeTokenSecret, prefixOf } from "./token-secret.ts";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const numberOf = (base62: string) => [...base62].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n);

test("a secret is ldg_, 32 bytes in base62, and their CRC32 in base62", () => {
  for (let made = 0; made < 500; made++) {
    const secret = makeTokenSecret();
    assert.match(secret, /^ldg_[0-9A-Za-z]{49}$/);
    assert.ok(numberOf(secret.slice(4, 47)) < 2n ** 256n);
    assert.equal(numberOf(secret.slice(47)), BigInt(crc32(secret.slice(4, 47))));
    assert.ok(isTokenSecret(secret));
  }
});

test("every secret is different", () => {
  assert.equal(new Set(Array.from({ length: 1000 }, makeTokenSecret)).size, 1000);
});

test("the checksum detects any one changed character", () => {
  const secret = makeTokenSecret();
  for (let index = 4; index < secret.length; index++) {
    const other = secret[index] === "x" ? "y" : "x";
    assert.equal(isTokenSecret(secret.slice(0, index) + other + secret.slice(index + 1)), false, `at ${index}`);
  }
});

test("text in another format is not a secret", () => {
  const secret = makeTokenSecret();
  for (const text of [
    "",
    "ldg_",
    secret.slice(4),
    secret.slice(0, -1),
    `${secret}0`,
    `${secret}\n`,
    ` ${secret}`,
    secret.replace("ldg_", "LDG_"),
    secret.replace("ldg_", "ldgpub_"),
  ]) {
    assert.equal(isTokenSecret(text), false, JSON.stringify(text));
  }
});

test("a hash has 32 bytes and covers the whole secret; the prefix shows four characters after ldg_", () => {
  const secret = makeTokenSecret();
  assert.equal(hashTokenSecret(secret).length, 32);
  assert.deepEqual(hashTokenSecret(secret), hashTokenSecret(secret));
  assert.notDeepEqual(hashTokenSecret(secret), hashTokenSecret(makeTokenSecret()));
  assert.equal(prefixOf(secret), secret.slice(0, 8));
});
