import type { NewTotp, RecoveryCodes, SecondFactor } from "@lodge/contract/dashboard/factors";
import type { FastifyRequest } from "fastify";
import { sql } from "kysely";
import { seal } from "../../platform/config/seal.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { checkPassword } from "./check-password.ts";
import { endSessions } from "./end-sessions.ts";
import type { SignedIn } from "./find-actor.ts";
import { holdSession } from "./hold-session.ts";
import { hasSecondFactorSql, makeRecoveryCodes, removeTotp, takeCode } from "./second-factor.ts";
import { makeTotpSecret, toBase32 } from "./totp.ts";

/** Whether a person has a second factor. */
export async function showSecondFactor({ db }: Deps, { userId }: SignedIn): Promise<SecondFactor> {
  const factor = await db
    .selectFrom("totp_factors")
    .select("confirmed_at")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const codes = await db.selectFrom("recovery_codes").select("user_id").where("user_id", "=", userId).execute();
  return { since: factor?.confirmed_at?.toISOString() ?? null, recoveryCodesLeft: codes.length };
}

/**
 * Creates the secret of time-based codes, which takes effect once one of them is entered; replaces an earlier
 * unconfirmed one. Throws `rate_limit_exceeded`, `wrong_credentials` or `second_factor_on`.
 */
export async function beginTotp(
  deps: Deps,
  request: FastifyRequest,
  person: SignedIn,
  password: string,
): Promise<NewTotp> {
  await checkPassword(deps, request, person, password);
  const plain = makeTotpSecret();
  const fresh = {
    sealed_secret: seal(deps.sealing, "totp_factors.sealed_secret", person.userId, plain),
    created_at: deps.clock.now(),
    last_step: null,
    attempts: 0,
    retry_at: null,
  };
  const begun = await deps.db
    .insertInto("totp_factors")
    .values({ user_id: person.userId, ...fresh })
    .onConflict((conflict) =>
      conflict.column("user_id").doUpdateSet(fresh).where("totp_factors.confirmed_at", "is", null),
    )
    .returning("user_id")
    .executeTakeFirst();
  if (!begun) throw new Refusal("second_factor_on");
  const secret = toBase32(plain);
  const issuer = encodeURIComponent(`Lodge ${new URL(deps.urls.base).hostname}`);
  return {
    secret,
    uri: `otpauth://totp/${issuer}:${encodeURIComponent(person.email)}?secret=${secret}&issuer=${issuer}`,
  };
}

/**
 * Turns on a person's time-based codes with a first code, and ends all other sessions, which were opened without a
 * second factor. Returns the recovery codes. Throws `second_factor_not_begun`, `second_factor_on`, `wrong_code`,
 * `second_factor_unreadable` or `rate_limit_exceeded`.
 */
export async function confirmTotp(deps: Deps, { userId, sessionId }: SignedIn, code: string): Promise<RecoveryCodes> {
  const factor = await deps.db
    .selectFrom("totp_factors")
    .select("confirmed_at")
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (!factor) throw new Refusal("second_factor_not_begun");
  if (factor.confirmed_at) throw new Refusal("second_factor_on");
  await takeCode(deps, userId, code);
  return deps.db.transaction().execute(async (tx) => {
    await holdSession(tx, sessionId);
    await tx
      .updateTable("totp_factors")
      .set({ confirmed_at: deps.clock.now() })
      .where("user_id", "=", userId)
      .execute();
    await endSessions(tx, userId, sessionId);
    return { recoveryCodes: await makeRecoveryCodes(tx, userId) };
  });
}

/** Replaces the recovery codes. Throws `wrong_credentials` or `second_factor_not_begun`. */
export async function renewRecoveryCodes(
  deps: Deps,
  request: FastifyRequest,
  person: SignedIn,
  password: string,
): Promise<RecoveryCodes> {
  await checkPassword(deps, request, person, password);
  if (!(await hasSecondFactor(deps, person))) throw new Refusal("second_factor_not_begun");
  return deps.db.transaction().execute(async (tx) => ({ recoveryCodes: await makeRecoveryCodes(tx, person.userId) }));
}

/** Turns off a person's own time-based codes. Throws `rate_limit_exceeded` or `wrong_credentials`. */
export async function removeOwnSecondFactor(
  deps: Deps,
  request: FastifyRequest,
  person: SignedIn,
  password: string,
): Promise<void> {
  await checkPassword(deps, request, person, password);
  await deps.db.transaction().execute((tx) => removeTotp(tx, person.userId));
}

async function hasSecondFactor({ db }: Deps, { userId }: SignedIn): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select ${sql.raw(hasSecondFactorSql("users.id"))} as has from users where id = ${userId}`.execute(db);
  return rows[0]?.has ?? false;
}
