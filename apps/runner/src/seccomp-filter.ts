import { type Architecture, architectures, refusedCalls } from "./system-calls.ts";

// Classic BPF, as in linux/bpf_common.h and linux/seccomp.h.
const load = 0x20; // BPF_LD | BPF_W | BPF_ABS
const jumpIfEqual = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const jumpIfAtLeast = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const end = 0x06; // BPF_RET | BPF_K
const allow = 0x7fff0000;
const refuse = 0x00050000 | 1; // SECCOMP_RET_ERRNO with EPERM
/** The offsets of the call number and the architecture in struct seccomp_data. */
const callAt = 0;
const architectureAt = 4;
/** On x86-64, call numbers from here on belong to the x32 ABI. */
const x32From = 0x40000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * The seccomp filter of the sandbox (bubblewrap's `--seccomp`). Calls in `refusedCalls` and calls of other
 * architectures fail with EPERM. Undefined if the processor's call numbers are not known.
 */
export function seccompFilter(processor: string): Buffer | undefined {
  const architecture = architectures[processor];
  return architecture && encode(instructionsFor(architecture));
}

function instructionsFor({ audit, calls }: Architecture): Instruction[] {
  const numbers = [...new Set(refusedCalls.map((name) => calls[name]))];
  // Jump offsets count the instructions in between. The last two instructions allow and refuse a call.
  const tests = numbers.map((number, index): Instruction => [jumpIfEqual, numbers.length - index, 0, number]);
  return [
    [load, 0, 0, architectureAt],
    [jumpIfEqual, 0, numbers.length + 3, audit],
    [load, 0, 0, callAt],
    [jumpIfAtLeast, numbers.length + 1, 0, x32From],
    ...tests,
    [end, 0, 0, allow],
    [end, 0, 0, refuse],
  ];
}

function encode(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(ifTrue, index * 8 + 2);
    bytes.writeUInt8(ifFalse, index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  }
  return bytes;
}
