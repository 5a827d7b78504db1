import { takeTurns } from "../../platform/limits/take-turns.ts";
import { refuseCommonPassword } from "./refuse-common-password.ts";

/**
 * A hash takes 60 ms of one of the four threads that also read and write files: two leave the others to them. Those that
 * wait are done in about two seconds.
 */
const turns = takeTurns({ atOnce: 2, waitingMax: 64 });

/**
 * What is kept of a new password. Throws `invalid_input` for a common one, and `rate_limit_exceeded` where too many wait to
 * be hashed in this process.
 */
export async function hashPassword(password: string): Promise<string> {
  await refuseCommonPassword(password);
  return turns("", async () => (await loadCrypto()).hashPassword(password));
}

/** Whether a password is the one that a hash was made of. Throws as `hashPassword` does. */
export const verifyPassword = (asked: { hash: string; password: string }): Promise<boolean> =>
  turns("", async () => (await loadCrypto()).verifyPassword(asked));

const loadCrypto = () => import("better-auth/crypto"); // late: a process for tickets does without
