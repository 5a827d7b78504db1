import { createCipheriv, createHash } from "node:crypto";

const variable = "TEST_SEED";

/** A stream of random input, reproducible from the seed and the name. */
export type Random = {
  /** A number in [0, 1). */
  number: () => number;
  /** `count` bytes that cannot be compressed. */
  bytes: (count: number) => Buffer;
};

/**
 * The random input for one purpose, from the seed of this run of `npm test`, which prints it and reads it from the
 * environment.
 */
export function randomFor(purpose: string): Random {
  const key = createHash("sha256").update(`${process.env[variable]}\0${purpose}`).digest();
  const stream = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
  const bytes = (count: number) => stream.update(Buffer.alloc(count));
  return { bytes, number: () => bytes(4).readUInt32LE() / 2 ** 32 };
}

let ofThisFile = randomFor("");

/** Gives a test file its own stream; one process runs several files. */
export function drawFor(file: string): void {
  ofThisFile = randomFor(file);
}

/** The next random number of this test file, in [0, 1). */
export const randomNumber = (): number => ofThisFile.number();

/** The next random bytes of this test file. */
export const randomBytes = (count: number): Buffer => ofThisFile.bytes(count);

/** The environment that passes the seed to test files: the requested one, or a new one. */
export function seedEnvironment(): { [variable]: string } {
  return { [variable]: process.env[variable] ?? `${Math.floor(Math.random() * 2 ** 32)}` };
}
