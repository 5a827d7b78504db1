import { createHmac, timingSafeEqual } from "node:crypto";
import type { memberRoles } from "@lodge/contract/roles";
import { narrowed, preparedStatement } from "../platform/database/statements.ts";
import type { Deps } from "../platform/deps.ts";
import { sessionCookieName } from "./session-cookie.ts";

/** Somebody who is signed in. */
export type SignedIn = { sessionId: string; userId: string; name: string; email: string };

/** Who is asking: a person, in an organisation, with a role in it. */
export type Actor = SignedIn & { organisationId: string; role: (typeof memberRoles)[number] };

const findSession = preparedStatement({
  name: "find_actor",
  parameters: { token: "text", now: "timestamptz" },
  row: {
    session_id: "uuid",
    user_id: "uuid",
    name: "text",
    email: "text",
    organisation_id: "uuid?",
    role: narrowed<Actor["role"] | null>("text?"),
  },
  text: ({
    token,
    now,
  }) => `select sessions.id as session_id, users.id as user_id, users.name, users.email, members.organisation_id, members.role
  from sessions join users on users.id = sessions.user_id
  left join members on members.organisation_id = sessions.active_organisation_id and members.user_id = sessions.user_id
  where sessions.token = ${token} and sessions.expires_at > ${now}`,
});

/**
 * Resolves the session of a request's cookies in one query, which is asked every time: who was removed, demoted or signed
 * out is so from the next request on. `actor` is undefined for somebody who works on no organisation.
 */
export async function findActor(
  deps: Deps,
  cookies: string | undefined,
): Promise<{ signedIn: SignedIn; actor: Actor | undefined } | undefined> {
  const token = readSessionToken(deps, cookies);
  if (token === undefined) return undefined;
  const [row] = await findSession(deps.pool, { token, now: deps.clock.now() });
  if (!row) return undefined;
  const signedIn = { sessionId: row.session_id, userId: row.user_id, name: row.name, email: row.email };
  const actor =
    row.organisation_id && row.role ? { ...signedIn, organisationId: row.organisation_id, role: row.role } : undefined;
  return { signedIn, actor };
}

/** The session token of the cookie, if we signed it: what others make up never reaches the database. */
function readSessionToken({ urls, secret }: Deps, cookies: string | undefined): string | undefined {
  const start = `${sessionCookieName(urls.base)}=`;
  const cookie = cookies?.split(/; */).find((text) => text.startsWith(start));
  const value = cookie?.slice(start.length).replaceAll("%2B", "+").replaceAll("%2F", "/").replaceAll("%3D", "=") ?? "";
  const dot = value.lastIndexOf(".");
  if (dot < 1) return undefined;
  const token = value.slice(0, dot);
  const sent = Buffer.from(value.slice(dot + 1), "base64");
  const signature = createHmac("sha256", secret).update(token).digest();
  return sent.length === signature.length && timingSafeEqual(sent, signature) ? token : undefined;
}
