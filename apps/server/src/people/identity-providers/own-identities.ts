import type { OwnIdentityList, ProviderSignIn } from "@lodge/contract/dashboard/providers";
import type { FastifyRequest } from "fastify";
import type { Dispatcher } from "undici";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { checkPassword } from "../access/check-password.ts";
import { endSessionsOfProvider } from "../access/end-sessions.ts";
import type { SignedIn } from "../access/find-actor.ts";
import { holdSession } from "../access/hold-session.ts";
import { limitComingIn } from "../access/limit-sign-in.ts";
import type { WithCookies } from "../access/sign-in.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { linkOwnIdentity, unlinkIdentities } from "../organisations/identities.ts";
import { askProvider, forgetBegan } from "./begin-provider-sign-in.ts";
import { readAnswer, refused } from "./read-answer.ts";
import { holdProvider, readProvider } from "./read-provider.ts";

/** The person's organisations that have an identity provider, and since when it is linked to this account. */
export async function listOwnIdentities({ db }: Deps, { userId }: SignedIn): Promise<OwnIdentityList> {
  const rows = await db
    .selectFrom("members")
    .innerJoin("organisations", "organisations.id", "members.organisation_id")
    .innerJoin("identity_providers", "identity_providers.organisation_id", "members.organisation_id")
    .leftJoin("identities", (join) =>
      join
        .onRef("identities.organisation_id", "=", "members.organisation_id")
        .onRef("identities.issuer", "=", "identity_providers.issuer")
        .onRef("identities.user_id", "=", "members.user_id"),
    )
    .select(["organisations.id", "organisations.name", "organisations.slug"])
    .select(["identity_providers.issuer", "identities.linked_at"])
    .where("members.user_id", "=", userId)
    .orderBy("organisations.name")
    .orderBy("organisations.id")
    .execute();
  return {
    identities: rows.map(({ id, name, slug, issuer, linked_at }) => ({
      organisation: { id, name, slug },
      issuer,
      linkedAt: linked_at?.toISOString() ?? null,
    })),
  };
}

/**
 * Starts linking the account to the identity provider of one of the person's organisations, after checking the
 * password. Throws `provider_not_found`, `rate_limit_exceeded`, `wrong_credentials` or `provider_unreachable`.
 */
export async function beginIdentityLink(
  deps: Deps,
  agent: Dispatcher,
  request: FastifyRequest,
  { slug, password }: { slug: string; password: string },
): Promise<WithCookies<ProviderSignIn>> {
  const { signedIn } = request;
  const stored = await readOwnProvider(deps, signedIn, slug);
  await checkPassword(deps, request, signedIn, password);
  return askProvider(deps, agent, stored, signedIn.sessionId);
}

/**
 * Links the account to the identity that the provider authenticated, only in the session that started it. Throws
 * `rate_limit_exceeded`, `provider_not_found`, `provider_refused`, `provider_unreachable` or `identity_taken`.
 */
export async function finishIdentityLink(
  deps: Deps,
  agent: Dispatcher,
  request: FastifyRequest,
  { slug, answer }: { slug: string; answer: string },
): Promise<WithCookies<OwnIdentityList>> {
  const { signedIn } = request;
  await limitComingIn(deps, request.ip);
  const stored = await readOwnProvider(deps, signedIn, slug);
  const { subject } = await readAnswer(deps, agent, request, stored, answer, signedIn.sessionId);
  const { organisationId } = stored;
  const { userId, name } = signedIn;
  await deps.db.transaction().execute(async (tx) => {
    await holdSession(tx, signedIn.sessionId);
    if (!(await holdProvider(tx, stored)))
      throw refused("its settings in Lodge were changed in the meantime. Try again");
    await linkOwnIdentity(tx, { organisationId, ...subject }, userId, deps.clock.now());
    await recordAudit(tx, { organisationId, userId, name }, deps.clock.now(), "identity.linked", { member: name });
  });
  return { body: await listOwnIdentities(deps, signedIn), cookies: [forgetBegan(deps)] };
}

/** Unlinks the account from an organisation's identity provider, and ends the sessions that the provider opened. */
export async function unlinkOwnIdentity(deps: Deps, signedIn: SignedIn, slug: string): Promise<OwnIdentityList> {
  const { organisationId } = await readOwnProvider(deps, signedIn, slug);
  const { userId, name } = signedIn;
  await deps.db.transaction().execute(async (tx) => {
    await holdSession(tx, signedIn.sessionId);
    await unlinkIdentities(tx, organisationId, userId);
    await endSessionsOfProvider(tx, organisationId, userId);
    await recordAudit(tx, { organisationId, userId, name }, deps.clock.now(), "identity.unlinked", { member: name });
  });
  return listOwnIdentities(deps, signedIn);
}

/** The provider of an organisation that the person is a member of. Throws `provider_not_found`. */
async function readOwnProvider({ db }: Deps, { userId }: SignedIn, slug: string) {
  const stored = await readProvider(db, slug);
  const membership = await db
    .selectFrom("members")
    .select("user_id")
    .where("organisation_id", "=", stored.organisationId)
    .where("user_id", "=", userId)
    .executeTakeFirst();
  if (!membership) throw new Refusal("provider_not_found");
  return stored;
}
