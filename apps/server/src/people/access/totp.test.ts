import assert from "node:assert/strict";
import { test } from "node:test";
import { stepOf, toBase32, totpCode } from "./totp.ts";

test("codes match the test vectors of RFC 6238, appendix B", () => {
  const secret = Buffer.from("12345678901234567890");
  const expected = {
    1111111109: "081804",
    1111111111: "050471",
    1234567890: "005924",
    20000000000: "353130",
  };
  for (const [seconds, code] of Object.entries(expected)) {
    assert.equal(totpCode(secret, Math.floor(Number(seconds) / 30)), code);
    const at = (shiftSeconds: number) => new Date((Number(seconds) + shiftSeconds) * 1000);
    assert.deepEqual(
      [0, 30, -30, 60, -60].map((shift) => stepOf(secret, code, at(shift)) !== undefined),
      [true, true, true, false, false],
    );
  }
  assert.equal(stepOf(secret, "28708", new Date(1_111_111_109_000)), undefined);
  assert.equal(toBase32(secret), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
});
