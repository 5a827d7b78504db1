import type { Session, SignIn } from "@lodge/contract/dashboard/access";
import type { FastifyRequest } from "fastify";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import type { Auth } from "./auth.ts";
import { describeSession } from "./describe-session.ts";
import { limitSignIn } from "./limit-sign-in.ts";
import { clientAddressHeader } from "./session-cookie.ts";

/** An answer with what the browser is to keep. */
export type WithCookies<T> = { body: T; cookies: string[] };

/** What the sign-in library is told of a request. */
export function headersFor(request: FastifyRequest): Headers {
  const headers = new Headers({ [clientAddressHeader]: request.ip });
  if (request.headers.cookie) headers.set("cookie", request.headers.cookie);
  if (request.headers["user-agent"]) headers.set("user-agent", request.headers["user-agent"]);
  return headers;
}

/** Opens a session for who knows the password. Throws `rate_limit_exceeded` or `wrong_credentials`. */
export async function signIn(
  deps: Deps,
  auth: Auth,
  request: FastifyRequest,
  { email, password }: SignIn,
): Promise<WithCookies<Session>> {
  await limitSignIn(deps, request.ip, email);
  const { headers, response } = await auth.api
    .signInEmail({ body: { email, password }, headers: headersFor(request), returnHeaders: true })
    .catch((error: unknown) => {
      throw isLibraryRefusal(error) ? new Refusal("wrong_credentials") : error;
    });
  const { id } = await deps.db
    .selectFrom("sessions")
    .select("id")
    .where("token", "=", response.token)
    .executeTakeFirstOrThrow();
  return { body: await describeSession(deps, id), cookies: headers.getSetCookie() };
}

const isLibraryRefusal = (error: unknown) =>
  error instanceof Error && error.name === "APIError" && (error as { statusCode?: number }).statusCode !== 500;
