import { createHash, randomBytes } from "node:crypto";
import { sql } from "kysely";
import { unseal } from "../../platform/config/seal.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { rateExceeded } from "../../platform/limits/limit-rate.ts";
import { stepOf, toBase32 } from "./totp.ts";

/** Attempts without a wait after a right code; each further one waits twice as long as the last, up to an hour. */
const freeAttempts = 5;
const waitMsMax = 3_600_000;
const recoveryCodesMade = 10;

/** Whether a person has an active second factor, as SQL on the column of a person's id. */
export const hasSecondFactorSql = (userId: string) =>
  `(exists (select from totp_factors where totp_factors.user_id = ${userId} and confirmed_at is not null)
      or exists (select from passkeys where passkeys.user_id = ${userId}))`;

/**
 * Checks the code of a person who has a second factor: a time-based code or a recovery code, each once. People with
 * only passkeys use a recovery code here, or sign in with a passkey instead. Throws `second_factor_required` without a
 * code, `wrong_code`, `second_factor_unreadable` if only recovery codes still work, or `rate_limit_exceeded` after five
 * wrong ones.
 */
export async function checkSecondFactor(deps: Deps, userId: string, code: string | undefined): Promise<void> {
  const { rows } = await sql<{ has_factor: boolean; has_app: boolean }>`
    select ${sql.raw(hasSecondFactorSql("users.id"))} as has_factor,
      exists (select from totp_factors where user_id = users.id and confirmed_at is not null) as has_app
    from users where id = ${userId}`.execute(deps.db);
  const [person] = rows;
  if (!person?.has_factor) return;
  if (code === undefined) throw new Refusal("second_factor_required");
  if (person.has_app) return takeCode(deps, userId, code);
  // Nobody can guess 80 bits, so only the limit by address applies.
  if (!(await useRecoveryCode(deps.db, userId, plainCode(code)))) throw new Refusal("wrong_code");
}

const plainCode = (code: string) => code.replaceAll(/[\s-]/g, "").toUpperCase();

/** The same for a person who may not have confirmed it yet. */
export async function takeCode(deps: Deps, userId: string, code: string): Promise<void> {
  const secret = await countAttempt(deps, userId);
  const given = plainCode(code);
  const step = secret && stepOf(secret, given, deps.clock.now());
  const taken =
    step === undefined ? await useRecoveryCode(deps.db, userId, given) : await useStep(deps.db, userId, step);
  if (!taken) throw new Refusal(secret ? "wrong_code" : "second_factor_unreadable");
  await sql`update totp_factors set attempts = 0, retry_at = null where user_id = ${userId}`.execute(deps.db);
}

/**
 * Counts before checking the code, so that concurrent attempts get no more tries than sequential ones. Returns the
 * secret of the codes, or undefined if it was encrypted with another LODGE_SECRET.
 */
async function countAttempt({ db, clock, sealing }: Deps, userId: string): Promise<Buffer | undefined> {
  const now = clock.now();
  const { rows } = await sql<{ sealed_secret: string }>`
    update totp_factors set attempts = attempts + 1, retry_at = case when attempts + 1 >= ${freeAttempts}
      then ${now}::timestamptz + least(interval '1 minute' * power(2, least(attempts + 1 - ${freeAttempts}, 16)),
        interval '1 millisecond' * ${waitMsMax}::integer) end
    where user_id = ${userId} and (retry_at is null or retry_at <= ${now})
    returning sealed_secret`.execute(db);
  const [factor] = rows;
  if (factor) {
    try {
      return unseal(sealing, "totp_factors.sealed_secret", userId, factor.sealed_secret);
    } catch {
      return undefined;
    }
  }
  const { retry_at } = await db
    .selectFrom("totp_factors")
    .select("retry_at")
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  throw rateExceeded(Math.max(1, Math.ceil(((retry_at ?? now).getTime() - now.getTime()) / 1000)));
}

async function useStep(db: Database, userId: string, step: number): Promise<boolean> {
  const { rows } = await sql`
    update totp_factors set last_step = ${step} where user_id = ${userId} and (last_step is null or last_step < ${step})
    returning user_id`.execute(db);
  return rows.length > 0;
}

async function useRecoveryCode(db: Database, userId: string, code: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom("recovery_codes")
    .where("user_id", "=", userId)
    .where("code_sha256", "=", hashCode(code))
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Creates ten recovery codes, in place of all earlier ones. */
export async function makeRecoveryCodes(tx: Transaction, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodesMade }, () => toBase32(randomBytes(10)));
  await tx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  await tx
    .insertInto("recovery_codes")
    .values(codes.map((code) => ({ user_id: userId, code_sha256: hashCode(code) })))
    .execute();
  return codes.map((code) => (code.match(/.{4}/g) ?? []).join("-").toLowerCase());
}

/** Removes a person's second factor, including passkeys. */
export async function removeSecondFactor(tx: Transaction, userId: string): Promise<void> {
  await tx.deleteFrom("passkeys").where("user_id", "=", userId).execute();
  await removeTotp(tx, userId);
}

/** Removes a person's time-based codes. */
export async function removeTotp(tx: Transaction, userId: string): Promise<void> {
  await tx.deleteFrom("totp_factors").where("user_id", "=", userId).execute();
  await dropRecoveryCodes(tx, userId);
}

/** Deletes the recovery codes of a person who has no second factor left. */
export async function dropRecoveryCodes(tx: Transaction, userId: string): Promise<void> {
  await sql`
    delete from recovery_codes using users
    where user_id = ${userId} and users.id = user_id and not ${sql.raw(hasSecondFactorSql("users.id"))}`.execute(tx);
}

const hashCode = (code: string) => createHash("sha256").update(code).digest();
