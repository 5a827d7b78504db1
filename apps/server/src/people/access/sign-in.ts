import type { Session, SignIn } from "@lodge/contract/dashboard/access";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { describeSession } from "./describe-session.ts";
import { limitSignIn, rememberAddress } from "./limit-sign-in.ts";
import { openSession, sessionMs } from "./open-session.ts";
import { isPasswordAccountOf } from "./password-account.ts";
import { verifyPassword } from "./password-hash.ts";
import { checkSecondFactor } from "./second-factor.ts";

/** A response with the cookies to set. */
export type WithCookies<T> = { body: T; cookies: string[] };

/** Sets the cookies, and returns the body. */
export function withCookies<T>(reply: FastifyReply, { body, cookies }: WithCookies<T>): T {
  if (cookies.length > 0) reply.header("set-cookie", cookies);
  return body;
}

/**
 * Opens a session with the password and, if there is a second factor, a code. Throws `rate_limit_exceeded`,
 * `wrong_credentials`, `second_factor_required`, `wrong_code` or `second_factor_unreadable`.
 */
export async function signIn(
  deps: Deps,
  request: FastifyRequest,
  { email, password, code }: SignIn,
): Promise<WithCookies<Session>> {
  await limitSignIn(deps, request.ip, email);
  const opened = await checkCredentials(deps, request, { email, password });
  try {
    await checkSecondFactor(deps, opened.userId, code);
  } catch (error) {
    await deps.db.deleteFrom("sessions").where("id", "=", opened.sessionId).execute(); // its cookie was never sent
    throw error;
  }
  await rememberAddress(deps, opened.userId, request.ip);
  return describeOpened(deps, opened);
}

/** A session whose cookie has not been sent yet. */
type Opened = { sessionId: string; userId: string; cookies: string[] };

/**
 * Opens a session with the address and password of a password account. Checking takes a while, longer under load: if
 * the password changes meanwhile, it is refused. Throws `wrong_credentials`.
 */
export async function checkCredentials(
  deps: Deps,
  request: FastifyRequest,
  { email, password }: { email: string; password: string },
): Promise<Opened> {
  const account = await deps.db
    .selectFrom("users")
    .innerJoin("passwords", "passwords.user_id", "users.id")
    .select(["users.id", "passwords.hash"])
    .where(isPasswordAccountOf(email.toLowerCase()))
    .executeTakeFirst();
  const isRight = await verifyPassword({ hash: account?.hash, password });
  if (!account || !isRight) throw new Refusal("wrong_credentials");
  const { sessionId, cookie } = await deps.db.transaction().execute(async (tx) => {
    const now = await tx
      .selectFrom("passwords")
      .select("hash")
      .where("user_id", "=", account.id)
      .forShare() // waits for a concurrent change of the password
      .executeTakeFirst();
    if (now?.hash !== account.hash) throw new Refusal("wrong_credentials");
    return openSession(tx, deps, request, { userId: account.id, ms: sessionMs });
  });
  return { sessionId, userId: account.id, cookies: [cookie] };
}

/** The response that describes a new session. */
export const describeOpened = async (
  deps: Deps,
  { sessionId, cookies }: Pick<Opened, "sessionId" | "cookies">,
): Promise<WithCookies<Session>> => ({ body: await describeSession(deps, sessionId), cookies });
