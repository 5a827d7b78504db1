import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const { scrypt } = crypto;
const cheap = { N: 16, r: 1 };
let isCheap = false;

/** Has this process hash passwords, and check them, by next to no work from now on: what it hashed before fits no more. */
export function hashCheaply() {
  isCheap = true;
  crypto.scrypt = ((password, salt, length, options, done) =>
    scrypt(password, salt, length, isCheap ? { ...options, ...cheap } : options, done)) as typeof scrypt;
  syncBuiltinESMExports();
}

/** Hashes at the cost that they have where people use them, until it is disposed of. */
export function hashAtFullCost(): Disposable {
  const wasCheap = isCheap;
  isCheap = false;
  return {
    [Symbol.dispose]: () => {
      isCheap = wasCheap;
    },
  };
}
