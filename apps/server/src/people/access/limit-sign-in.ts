import { createHash } from "node:crypto";
import type { Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { addressBucket } from "../../platform/limits/address-bucket.ts";
import { limitRate } from "../../platform/limits/limit-rate.ts";

const attemptsOfAddressMax = 30;
const attemptsOfAddressOnAccountMax = 10;
const attemptsOfStrangersOnAccountMax = 20;

/**
 * Counts an attempt to sign in, set up or accept an invitation, across all processes: at most 30 a minute from one
 * address. Throws `rate_limit_exceeded`.
 */
export const limitComingIn = (deps: Deps, address: string): Promise<void> =>
  limitRate(deps, `sign-in-from:${addressBucket(address)}`, attemptsOfAddressMax);

/**
 * Counts an attempt on an account (docs/decisions/sign-in.md): at most 10 a minute from one address, right or wrong,
 * and 20 from all addresses that its owner has not signed in from before. A request refused by one limit does not count
 * against the next. Throws `rate_limit_exceeded`.
 */
export async function limitSignIn(deps: Deps, address: string, email: string): Promise<void> {
  await limitComingIn(deps, address);
  const account = createHash("sha256").update(email.toLowerCase()).digest("base64url");
  const bucket = addressBucket(address);
  await limitRate(deps, `sign-in-to:${account}:${bucket}`, attemptsOfAddressOnAccountMax);
  if (await isKnown(deps, email, bucket)) return;
  await limitRate(deps, `sign-in-to:${account}`, attemptsOfStrangersOnAccountMax);
}

/** Records that the owner of an account has signed in from an address. */
export async function rememberAddress({ db, clock }: Deps, userId: string, address: string): Promise<void> {
  await db
    .insertInto("known_addresses")
    .values({ user_id: userId, address: addressBucket(address), seen_at: clock.now() })
    .onConflict((conflict) => conflict.columns(["user_id", "address"]).doUpdateSet({ seen_at: clock.now() }))
    .execute();
}

async function isKnown({ db }: Deps, email: string, address: string): Promise<boolean> {
  const known = await db
    .selectFrom("known_addresses")
    .innerJoin("users", "users.id", "known_addresses.user_id")
    .select("user_id")
    .where("users.email", "=", email.toLowerCase())
    .where("users.provider_organisation_id", "is", null)
    .where("address", "=", address)
    .executeTakeFirst();
  return known !== undefined;
}

/** Deletes the known addresses of an account, so that attempts from all of them are limited. */
export async function forgetAddresses(tx: Transaction, userId: string): Promise<void> {
  await tx.deleteFrom("known_addresses").where("user_id", "=", userId).execute();
}
