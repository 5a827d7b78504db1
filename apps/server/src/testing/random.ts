import { createCipheriv, createHash } from "node:crypto";

const variable = "TEST_SEED";

/** A stream of random input: the same again for the same seed and name. */
export type Random = {
  /** A number in [0, 1). */
  number: () => number;
  /** So many bytes, which no compression makes smaller. */
  bytes: (count: number) => Buffer;
};

/** The random input of one purpose, by the seed of this run of `npm test`, which prints it and takes it from the environment. */
export function randomFor(purpose: string): Random {
  const key = createHash("sha256").update(`${process.env[variable]}\0${purpose}`).digest();
  const stream = createCipheriv("aes-256-ctr", key, Buffer.alloc(16));
  const bytes = (count: number) => stream.update(Buffer.alloc(count));
  return { bytes, number: () => bytes(4).readUInt32LE() / 2 ** 32 };
}

let ofThisFile = randomFor("");

/** Has a test file, which several of a process follow, draw from a stream of its own. */
export function drawFor(file: string): void {
  ofThisFile = randomFor(file);
}

/** The next random number of this test file, in [0, 1). */
export const randomNumber = (): number => ofThisFile.number();

/** The next random bytes of this test file. */
export const randomBytes = (count: number): Buffer => ofThisFile.bytes(count);

/** The environment in which test files find their seed: the one that was asked for, or a new one. */
export function seedEnvironment(): { [variable]: string } {
  return { [variable]: process.env[variable] ?? `${Math.floor(Math.random() * 2 ** 32)}` };
}
