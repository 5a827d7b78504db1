import { type Architecture, architectures, refusedCalls } from "./system-calls.ts";

// Classic BPF, as linux/bpf_common.h and linux/seccomp.h have it.
const load = 0x20; // BPF_LD | BPF_W | BPF_ABS
const jumpIfEqual = 0x15; // BPF_JMP | BPF_JEQ | BPF_K
const jumpIfAtLeast = 0x35; // BPF_JMP | BPF_JGE | BPF_K
const end = 0x06; // BPF_RET | BPF_K
const allow = 0x7fff0000;
const refuse = 0x00050000 | 1; // SECCOMP_RET_ERRNO with EPERM
/** Where struct seccomp_data has the number of the call, and the architecture. */
const callAt = 0;
const architectureAt = 4;
/** x86-64 takes calls of its x32 kind under numbers from here on. */
const x32From = 0x40000000;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/**
 * The filter that bubblewrap lays on a sandbox (`--seccomp`): calls of `refusedCalls`, and all calls of another architecture
 * that the kernel would take too, fail with EPERM. Undefined for a processor whose numbers are not known.
 */
export function seccompFilter(processor: string): Buffer | undefined {
  const architecture = architectures[processor];
  return architecture && encode(instructionsFor(architecture));
}

function instructionsFor({ audit, calls }: Architecture): Instruction[] {
  const numbers = [...new Set(refusedCalls.map((name) => calls[name]))];
  // Jumps count the instructions between; the refusal comes last, after the permission.
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
