import type { Session } from "@lodge/contract/dashboard/access";
import type {
  AddedPasskey,
  AddPasskey,
  ChangePasskey,
  Passkey,
  PasskeyList,
  PasskeyOptions,
  SignInByPasskey,
} from "@lodge/contract/dashboard/passkeys";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type { FastifyRequest } from "fastify";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { checkPassword } from "./check-password.ts";
import { endSessions } from "./end-sessions.ts";
import type { SignedIn } from "./find-actor.ts";
import { holdSession } from "./hold-session.ts";
import { limitComingIn, rememberAddress } from "./limit-sign-in.ts";
import { openSession, sessionMs } from "./open-session.ts";
import { dropRecoveryCodes, hasSecondFactorSql, makeRecoveryCodes } from "./second-factor.ts";
import { describeOpened, type WithCookies } from "./sign-in.ts";

const passkeysMax = 20;
const askedMs = 300_000;
const signInPurpose = "sign-in by passkey";

/** The relying party of passkeys: the name and the address of this Lodge. */
const placeOf = ({ urls }: Deps) => {
  const { hostname, origin } = new URL(urls.base);
  return { expectedRPID: hostname, expectedOrigin: origin };
};

/** A person's passkeys. */
export async function listPasskeys({ db }: Deps, { userId }: SignedIn): Promise<PasskeyList> {
  const rows = await selectPasskeys(db, userId).execute();
  return { passkeys: rows.map(toPasskey) };
}

/**
 * The options for creating a passkey, after checking the password. Throws `rate_limit_exceeded`, `wrong_credentials` or
 * `too_many`.
 */
export async function beginPasskey(
  deps: Deps,
  request: FastifyRequest,
  person: SignedIn,
  password: string,
): Promise<PasskeyOptions> {
  await checkPassword(deps, request, person, password);
  const kept = await selectPasskeys(deps.db, person.userId).execute();
  if (kept.length >= passkeysMax) throw new Refusal("too_many");
  const { generateRegistrationOptions } = await import("@simplewebauthn/server");
  const options = await generateRegistrationOptions({
    rpName: `Lodge ${new URL(deps.urls.base).hostname}`,
    rpID: placeOf(deps).expectedRPID,
    userID: new TextEncoder().encode(person.userId),
    userName: person.email,
    userDisplayName: person.name,
    attestationType: "none",
    excludeCredentials: kept.map(({ credential_id }) => ({ id: credential_id })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    timeout: askedMs,
  });
  await keepChallenge(deps, `passkey of ${person.userId}`, options.challenge);
  return { options: { ...options } };
}

/**
 * Stores a passkey that a browser has created. For a person without a second factor it becomes one: all other sessions
 * end, and recovery codes are created. Throws `passkey_refused` or `too_many`.
 */
export async function addPasskey(
  deps: Deps,
  person: SignedIn,
  { name, credential }: AddPasskey,
): Promise<AddedPasskey> {
  const { userId, sessionId } = person;
  const response = credential as unknown as RegistrationResponseJSON;
  const expectedChallenge = await takeChallenge(deps, `passkey of ${userId}`, response.response.clientDataJSON);
  const { verifyRegistrationResponse } = await import("@simplewebauthn/server");
  const { registrationInfo: made } = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    ...placeOf(deps),
    requireUserVerification: true,
  }).catch(refuse);
  if (!made) throw new Refusal("passkey_refused");
  const { id, publicKey, counter, transports } = made.credential;
  return deps.db.transaction().execute(async (tx) => {
    await holdSession(tx, sessionId);
    await tx.selectFrom("users").select("id").where("id", "=", userId).forUpdate().execute();
    const { rows } = await sql<{ had: boolean; count: number }>`
      select ${sql.raw(hasSecondFactorSql("users.id"))} as had,
        (select count(*)::integer from passkeys where user_id = users.id) as count
      from users where id = ${userId}`.execute(tx);
    const [before] = rows;
    if (!before || before.count >= passkeysMax) throw new Refusal("too_many");
    const row = await tx
      .insertInto("passkeys")
      .values({
        user_id: userId,
        name,
        credential_id: id,
        public_key: Buffer.from(publicKey),
        counter,
        transports: transports ?? [],
        created_at: deps.clock.now(),
      })
      .onConflict((conflict) => conflict.doNothing())
      .returning(["id", "name", "created_at", "used_at"])
      .executeTakeFirst();
    if (!row) throw new Refusal("passkey_refused"); // the passkey is already registered
    if (before.had) return { passkey: toPasskey(row), recoveryCodes: null };
    await endSessions(tx, userId, sessionId);
    return { passkey: toPasskey(row), recoveryCodes: await makeRecoveryCodes(tx, userId) };
  });
}

/** Renames a passkey. Throws `passkey_not_found`. */
export async function changePasskey(
  { db }: Deps,
  { userId }: SignedIn,
  passkeyId: string,
  { name }: ChangePasskey,
): Promise<Passkey> {
  const row = await db
    .updateTable("passkeys")
    .set({ name })
    .where("user_id", "=", userId)
    .where("id", "=", passkeyId)
    .returning(["id", "name", "created_at", "used_at"])
    .executeTakeFirst();
  if (!row) throw new Refusal("passkey_not_found");
  return toPasskey(row);
}

/** Deletes a passkey. Throws `rate_limit_exceeded`, `wrong_credentials` or `passkey_not_found`. */
export async function removePasskey(
  deps: Deps,
  request: FastifyRequest,
  person: SignedIn,
  passkeyId: string,
  password: string,
): Promise<void> {
  await checkPassword(deps, request, person, password);
  await deps.db.transaction().execute(async (tx) => {
    const { numDeletedRows } = await tx
      .deleteFrom("passkeys")
      .where("user_id", "=", person.userId)
      .where("id", "=", passkeyId)
      .executeTakeFirst();
    if (numDeletedRows === 0n) throw new Refusal("passkey_not_found");
    await dropRecoveryCodes(tx, person.userId);
  });
}

/** The options for signing in with anybody's passkey. Throws `rate_limit_exceeded`. */
export async function beginPasskeySignIn(deps: Deps, request: FastifyRequest): Promise<PasskeyOptions> {
  await limitComingIn(deps, request.ip);
  const { generateAuthenticationOptions } = await import("@simplewebauthn/server");
  const options = await generateAuthenticationOptions({
    rpID: placeOf(deps).expectedRPID,
    userVerification: "required",
    timeout: askedMs,
  });
  await keepChallenge(deps, signInPurpose, options.challenge);
  return { options: { ...options } };
}

/** Opens a session with a passkey, without password or code. Throws `rate_limit_exceeded` or `passkey_refused`. */
export async function finishPasskeySignIn(
  deps: Deps,
  request: FastifyRequest,
  { credential }: SignInByPasskey,
): Promise<WithCookies<Session>> {
  await limitComingIn(deps, request.ip);
  const response = credential as unknown as AuthenticationResponseJSON;
  const expectedChallenge = await takeChallenge(deps, signInPurpose, response.response.clientDataJSON);
  const passkey = await deps.db
    .selectFrom("passkeys")
    .select(["user_id", "id", "credential_id", "public_key", "counter"])
    .where("credential_id", "=", response.id)
    .executeTakeFirst();
  if (!passkey) throw new Refusal("passkey_refused");
  const { user_id: userId } = passkey;
  const { verifyAuthenticationResponse } = await import("@simplewebauthn/server");
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    ...placeOf(deps),
    credential: {
      id: passkey.credential_id,
      publicKey: new Uint8Array(passkey.public_key),
      counter: Number(passkey.counter),
    },
    requireUserVerification: true,
  }).catch(refuse);
  if (!verified) throw new Refusal("passkey_refused");
  const opened = await deps.db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable("passkeys")
      .set({ counter: authenticationInfo.newCounter, used_at: deps.clock.now() })
      .where("user_id", "=", userId)
      .where("id", "=", passkey.id)
      .where("counter", "=", passkey.counter)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) throw new Refusal("passkey_refused"); // removed or used meanwhile
    return openSession(tx, deps, request, { userId, ms: sessionMs });
  });
  await rememberAddress(deps, userId, request.ip);
  return describeOpened(deps, { sessionId: opened.sessionId, cookies: [opened.cookie] });
}

const refuse = (): never => {
  throw new Refusal("passkey_refused");
};

/** Moves a sign-in challenge that one cell created to the cell of the person. Throws `passkey_refused`. */
export async function moveSignInChallenge(from: Deps, to: Deps, clientDataJSON: string): Promise<void> {
  await keepChallenge(to, signInPurpose, await takeChallenge(from, signInPurpose, clientDataJSON));
}

/** Stores a challenge for one response. */
async function keepChallenge({ db, clock }: Deps, purpose: string, challenge: string): Promise<void> {
  const expires_at = new Date(clock.now().getTime() + askedMs);
  await db.insertInto("passkey_challenges").values({ purpose, challenge, expires_at }).execute();
}

/** The challenge of a browser's response, if we issued it and it is unused. Throws `passkey_refused`. */
async function takeChallenge({ db, clock }: Deps, purpose: string, clientDataJSON: string): Promise<string> {
  const challenge = readChallenge(clientDataJSON);
  const taken = await db
    .deleteFrom("passkey_challenges")
    .where("purpose", "=", purpose)
    .where("challenge", "=", challenge)
    .where("expires_at", ">", clock.now())
    .returning("challenge")
    .executeTakeFirst();
  if (!taken) throw new Refusal("passkey_refused");
  return challenge;
}

function readChallenge(clientDataJSON: string): string {
  try {
    const { challenge } = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString()) as { challenge?: unknown };
    if (typeof challenge === "string" && /^[\w-]{1,200}$/.test(challenge)) return challenge;
  } catch {
    // not JSON
  }
  throw new Refusal("passkey_refused");
}

const selectPasskeys = (db: Deps["db"], userId: string) =>
  db
    .selectFrom("passkeys")
    .select(["id", "name", "created_at", "used_at", "credential_id"])
    .where("user_id", "=", userId)
    .orderBy("id");

const toPasskey = ({
  id,
  name,
  created_at,
  used_at,
}: {
  id: string;
  name: string;
  created_at: Date;
  used_at: Date | null;
}) => ({
  id,
  name,
  createdAt: created_at.toISOString(),
  usedAt: used_at?.toISOString() ?? null,
});
