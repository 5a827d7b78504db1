import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";

const { scrypt } = crypto;
const cheap = { N: 16, r: 1 };
let isCheap = false;

/** Makes this process hash and verify passwords with almost no work from now on; earlier hashes no longer match. */
export function hashCheaply() {
  isCheap = true;
  crypto.scrypt = ((password, salt, length, options, done) =>
    scrypt(password, salt, length, isCheap ? { ...options, ...cheap } : options, done)) as typeof scrypt;
  syncBuiltinESMExports();
}

/** Hashes at the production cost, until it is disposed of. */
export function hashAtFullCost(): Disposable {
  const wasCheap = isCheap;
  isCheap = false;
  return {
    [Symbol.dispose]: () => {
      isCheap = wasCheap;
    },
  };
}
