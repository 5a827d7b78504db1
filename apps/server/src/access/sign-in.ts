import type { Session, SignIn } from "@lodge/contract/dashboard/access";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { describeSession } from "./describe-session.ts";
import { limitSignIn, rememberAddress } from "./limit-sign-in.ts";
import { loadAuth } from "./load-auth.ts";
import { checkSecondFactor } from "./second-factor.ts";
import { clientAddressHeader } from "./session-cookie.ts";

/** An answer with what the browser is to keep. */
export type WithCookies<T> = { body: T; cookies: string[] };

/** Sends what the browser is to keep, and returns the rest of the answer. */
export function withCookies<T>(reply: FastifyReply, { body, cookies }: WithCookies<T>): T {
  if (cookies.length > 0) reply.header("set-cookie", cookies);
  return body;
}

/** What the sign-in library is told of a request. */
export function headersFor(request: FastifyRequest): Headers {
  const headers = new Headers({ [clientAddressHeader]: request.ip });
  if (request.headers.cookie) headers.set("cookie", request.headers.cookie);
  if (request.headers["user-agent"]) headers.set("user-agent", request.headers["user-agent"]);
  return headers;
}

/**
 * Opens a session for who knows the password and, where there is a second factor, has a code of it. Throws
 * `rate_limit_exceeded`, `wrong_credentials`, `second_factor_required`, `wrong_code` or
 * `second_factor_unreadable`.
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
    await deps.db.deleteFrom("sessions").where("id", "=", opened.sessionId).execute(); // nobody was told of it
    throw error;
  }
  await rememberAddress(deps, opened.userId, request.ip);
  return describeOpened(deps, opened);
}

/** A session that its person is still to be told of. */
type Opened = { sessionId: string; userId: string; cookies: string[] };

/**
 * Opens a session for who knows the password. Checking takes a while, more where many sign in: whoever changes it meanwhile
 * ends the sessions that there are by then, so this one is ended here. Throws `wrong_credentials`.
 */
export async function checkCredentials(
  deps: Deps,
  request: FastifyRequest,
  { email, password }: { email: string; password: string },
): Promise<Opened> {
  const { api } = await loadAuth(deps);
  const known = await deps.db
    .selectFrom("accounts")
    .innerJoin("users", "users.id", "accounts.user_id")
    .select("accounts.password")
    .where("users.email", "=", email.toLowerCase())
    .where("provider_id", "=", "credential")
    .executeTakeFirst();
  const { headers, response } = await api
    .signInEmail({ body: { email, password }, headers: headersFor(request), returnHeaders: true })
    .catch((error: unknown) => {
      throw isLibraryRefusal(error) ? new Refusal("wrong_credentials") : error;
    });
  const opened = await deps.db
    .selectFrom("sessions")
    .innerJoin("accounts", "accounts.user_id", "sessions.user_id")
    .select(["sessions.id", "accounts.password"])
    .where("token", "=", response.token)
    .where("provider_id", "=", "credential")
    .forShare("accounts") // waits for who is about to change it
    .executeTakeFirst();
  if (!opened || opened.password !== known?.password) {
    await deps.db.deleteFrom("sessions").where("token", "=", response.token).execute(); // nobody was told of it
    throw new Refusal("wrong_credentials");
  }
  return { sessionId: opened.id, userId: response.user.id, cookies: headers.getSetCookie() };
}

/** The answer that tells a person of a session. */
export const describeOpened = async (
  deps: Deps,
  { sessionId, cookies }: Pick<Opened, "sessionId" | "cookies">,
): Promise<WithCookies<Session>> => ({ body: await describeSession(deps, sessionId), cookies });

const isLibraryRefusal = (error: unknown) =>
  error instanceof Error && error.name === "APIError" && (error as { statusCode?: number }).statusCode !== 500;
