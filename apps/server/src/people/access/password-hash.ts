import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { takeTurns } from "../../platform/limits/take-turns.ts";
import { refuseCommonPassword } from "./refuse-common-password.ts";

/** 32 MiB and about 60 ms. A stored hash does not name its cost, so another cost needs another format. */
const cost = { N: 16_384, r: 16, p: 1, maxmem: 64 * 1_048_576 };
const keyBytes = 64;
const saltBytes = 16;

/**
 * A hash takes 60 ms of one of the four threads that also read and write files: two at a time leave two for files. A
 * full queue is done in about two seconds.
 */
const turns = takeTurns({ atOnce: 2, waitingMax: 64 });

/**
 * The hash of a new password. Throws `invalid_input` for a common one, and `rate_limit_exceeded` if too many wait to be
 * hashed in this process.
 */
export async function hashPassword(password: string): Promise<string> {
  await refuseCommonPassword(password);
  return turns("", () => makeHash(password));
}

/**
 * Whether a password matches a hash. Takes as long without a hash, so that the time does not reveal which accounts
 * exist. Throws `rate_limit_exceeded` as `hashPassword` does.
 */
export async function verifyPassword({
  hash = "",
  password,
}: {
  hash?: string | undefined;
  password: string;
}): Promise<boolean> {
  const [salt] = hash.split(":", 1);
  const expected = Buffer.from(hash);
  const given = Buffer.from(await turns("", () => makeHash(password, salt || undefined)));
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** A hash in its stored form, without checking the password: the salt, a colon and the key, in hexadecimal. */
export function makeHash(password: string, salt = randomBytes(saltBytes).toString("hex")): Promise<string> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize("NFKC"), salt, keyBytes, cost, (error, key) => {
      if (error) reject(error);
      else resolve(`${salt}:${key.toString("hex")}`);
    });
  });
}
