import assert from "node:assert/strict";
import { test } from "node:test";
import { seccompFilter } from "../src/seccomp-filter.ts";
import { architectures } from "../src/system-calls.ts";

const [allowed, refused] = [0x7fff0000, 0x00050001];

/** Evaluates a filter as the kernel does, for the instructions that the runner uses. */
function answerOf(filter: Buffer, audit: number, call: number): number {
  let loaded = 0;
  for (let at = 0; ; at += 8) {
    const [code, ifTrue, ifFalse] = [filter.readUInt16LE(at), filter.readUInt8(at + 2), filter.readUInt8(at + 3)];
    const value = filter.readUInt32LE(at + 4);
    if (code === 0x06) return value;
    if (code === 0x20) loaded = value === 0 ? call : audit;
    else at += 8 * ((code === 0x15 ? loaded === value : loaded >= value) ? ifTrue : ifFalse);
  }
}

for (const [processor, { audit, calls }] of Object.entries(architectures)) {
  test(`on ${processor} the filter refuses the listed calls and calls of other architectures only`, () => {
    const filter = seccompFilter(processor) ?? assert.fail();
    const named = new Set<number>(Object.values(calls));
    for (let call = 0; call < 600; call++) {
      assert.equal(answerOf(filter, audit, call), named.has(call) ? refused : allowed, String(call));
    }
    assert.equal(answerOf(filter, audit, 0x40000000), refused, "x32");
    assert.equal(answerOf(filter, 0x40000003, 20), refused, "i386");
  });
}

test("there is no filter for a processor with unknown call numbers", () => {
  assert.equal(seccompFilter("mips"), undefined);
});
