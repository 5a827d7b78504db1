import { createHmac, timingSafeEqual } from "node:crypto";
import { dashboardWritesPerMinute } from "@lodge/contract/limits";
import type { memberRoles } from "@lodge/contract/roles";
import { narrowed, preparedStatement, type RowOf } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { countedColumns, refusalOfRate } from "../../platform/limits/limit-rate.ts";
import { countHitsSql } from "../../platform/limits/rate-limit.ts";
import { hasSecondFactorSql } from "./second-factor.ts";
import { sessionCookieName } from "./session-cookie.ts";
import { hashSessionToken } from "./session-token.ts";

/** A person who is signed in. */
export type SignedIn = {
  sessionId: string;
  userId: string;
  name: string;
  email: string;
  /** The organisation whose identity provider opened the session, which is only for that one; else null. */
  providerOrganisationId: string | null;
};

/** The person who makes the request, with their organisation and their role in it. */
export type Actor = SignedIn & {
  organisationId: string;
  role: (typeof memberRoles)[number];
  /** Whether the organisation requires its identity provider, which this session did not use. */
  needsProvider: boolean;
  /** Whether the organisation requires a second factor, which the person does not have. */
  needsSecondFactor: boolean;
};

const sessionColumns = {
  session_id: "uuid",
  user_id: "uuid",
  name: "text",
  email: "text",
  provider_organisation_id: "uuid?",
  organisation_id: "uuid?",
  role: narrowed<Actor["role"] | null>("text?"),
  needs_provider: "boolean",
  needs_second_factor: "boolean",
} as const;

/**
 * Whether the session lacks the identity provider that its organisation requires, as SQL on `sessions` and `members`.
 * Owners are exempt: the provider may be misconfigured or gone.
 */
export const needsProviderSql = `coalesce(sessions.provider_organisation_id is null and members.role <> 'owner' and exists (
      select from identity_providers where organisation_id = members.organisation_id and is_required), false)`;

/**
 * Whether the person lacks the second factor that the organisation requires, as SQL on `sessions` and `organisations`.
 * False for sessions of the identity provider, which is responsible for the second factor.
 */
export const needsSecondFactorSql = `coalesce(requires_second_factor and sessions.provider_organisation_id is null
      and not ${hasSecondFactorSql("sessions.user_id")}, false)`;

const sessionSql = ({ token, now }: { token: string; now: string }) => `
  select sessions.id as session_id, users.id as user_id, users.name, users.email,
    sessions.provider_organisation_id, members.organisation_id, members.role,
    ${needsProviderSql} as needs_provider, ${needsSecondFactorSql} as needs_second_factor
  from sessions join users on users.id = sessions.user_id
  left join members on members.organisation_id = sessions.active_organisation_id and members.user_id = sessions.user_id
  left join organisations on organisations.id = members.organisation_id
  where sessions.token_sha256 = ${token} and sessions.expires_at > ${now}`;

const findSession = preparedStatement({
  name: "find_actor",
  parameters: { token: "bytea", now: "timestamptz" },
  row: sessionColumns,
  text: sessionSql,
});

const findSessionAndCount = preparedStatement({
  name: "find_actor_and_count",
  parameters: { token: "bytea", now: "timestamptz" },
  row: { ...sessionColumns, ...countedColumns },
  text: ({ token, now }) => `with session as materialized (${sessionSql({ token, now })}
  ), hit as (${countHitsSql(`select 'writes:' || user_id, ${now}, 1, ${dashboardWritesPerMinute} from session`)}
  )
  select session.*, hit.granted > 0 as granted, hit.oldest_at_ms from session, hit`,
});

type Found = { signedIn: SignedIn; actor: Actor | undefined };

/**
 * Resolves the session of a request's cookies with one query per request, so that removing, demoting or signing out
 * a member takes effect with their next request. `actor` is undefined if the person has no active organisation.
 */
export async function findActor(deps: Deps, cookies: string | undefined): Promise<Found | undefined> {
  const token = readSessionToken(deps, cookies);
  if (token === undefined) return undefined;
  const [row] = await findSession(deps.pool, { token: hashSessionToken(token), now: deps.clock.now() });
  return row && toFound(row);
}

/**
 * The same for a request that changes something. Also counts it for the rate limit, across all processes: a person can
 * make 600 changes a minute. Throws `rate_limit_exceeded`.
 */
export async function findActorAndCount(deps: Deps, cookies: string | undefined): Promise<Found | undefined> {
  const token = readSessionToken(deps, cookies);
  if (token === undefined) return undefined;
  const now = deps.clock.now();
  const asked = { token: hashSessionToken(token), now };
  const [counted] = deps.rates ? [] : await findSessionAndCount(deps.pool, asked);
  const [row] = deps.rates ? await findSession(deps.pool, asked) : [counted];
  if (!row) return undefined;
  const refusal = await refusalOfRate(deps, `writes:${row.user_id}`, dashboardWritesPerMinute, counted, now);
  if (refusal) throw refusal;
  return toFound(row);
}

function toFound(row: RowOf<typeof sessionColumns>): Found {
  const signedIn = {
    sessionId: row.session_id,
    userId: row.user_id,
    name: row.name,
    email: row.email,
    providerOrganisationId: row.provider_organisation_id,
  };
  const { organisation_id: organisationId, role } = row;
  const needs = { needsProvider: row.needs_provider, needsSecondFactor: row.needs_second_factor };
  const actor = organisationId && role ? { ...signedIn, organisationId, role, ...needs } : undefined;
  return { signedIn, actor };
}

/** The session token of the cookie, if its signature is valid. Forged tokens never reach the database. */
export function readSessionToken({ urls, secret }: Deps, cookies: string | undefined): string | undefined {
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
