import assert from "node:assert/strict";
import { test } from "node:test";
import { randomNumber } from "../../server/src/testing/random.ts";
import { createRedactor } from "../src/redact.ts";

test("secrets are redacted wherever a text is cut, including URL-encoded and base64 forms", () => {
  const secret = "pa+ss/wörd?&1234";
  const forms = [
    secret,
    encodeURIComponent(secret),
    ...["", "x", "xy", "user:"].flatMap((before) =>
      ["base64", "base64url"].map((encoding) => Buffer.from(`${before}${secret}yz`).toString(encoding as "base64")),
    ),
  ];
  for (let round = 0; round < 300; round++) {
    const form = forms[round % forms.length] ?? "";
    const text = `before ${form} between pa+ss ${form}${form} after`;
    const { write, end } = createRedactor([secret, "short", "other-secret"]);
    let shown = "";
    for (let from = 0; from < text.length; ) {
      const to = from + 1 + Math.floor(randomNumber() * 8);
      shown += write(text.slice(from, to));
      from = to;
    }
    shown += end();
    assert.equal(shown.match(/\[secret\]/g)?.length, 3, shown);
    assert.match(shown, /^before .*\[secret\].* between pa\+ss .* after$/);
    assert.ok(!shown.includes(secret) && !shown.includes(encodeURIComponent(secret)));
  }
});
