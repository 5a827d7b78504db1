import type { IdentityProviderSettings, SetIdentityProvider } from "@lodge/contract/dashboard/providers";
import type { Dispatcher } from "undici";
import { endSessionsOfProvider } from "../access/end-sessions.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { forgetProvider } from "../organisations/join-by-provider.ts";
import { seal } from "../platform/config/seal.ts";
import { publish } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { invalidInput } from "../platform/errors.ts";
import { redirectUri } from "./begin-provider-sign-in.ts";
import { discoverProvider } from "./discover-provider.ts";
import { findProvider, openSecret, sealedFor } from "./read-provider.ts";

/** The identity provider of an organisation, and what it must be told. */
export async function showIdentityProvider(
  { db, urls }: Deps,
  { organisationId }: Actor,
): Promise<IdentityProviderSettings> {
  const stored = await findProvider(db, organisationId);
  const { slug } = await db
    .selectFrom("organisations")
    .select("slug")
    .where("id", "=", organisationId)
    .executeTakeFirstOrThrow();
  const url = redirectUri(urls.base, slug);
  return { provider: stored?.provider ?? null, redirectUri: url, signInUrl: url };
}

/**
 * Has members sign in with an identity provider, once it has told its configuration. With another issuer or client the
 * sessions that the former one has opened are ended, and whom it knew is forgotten. Throws `invalid_input` where its
 * secret is missing, and `provider_unreachable`.
 */
export async function setIdentityProvider(
  deps: Deps,
  agent: Dispatcher,
  actor: Actor,
  { clientSecret, ...provider }: SetIdentityProvider,
): Promise<IdentityProviderSettings> {
  const { organisationId } = actor;
  const kept = await findProvider(deps.db, organisationId);
  const isSame = kept?.provider.issuer === provider.issuer && kept.provider.clientId === provider.clientId;
  const secret = clientSecret ?? (kept && isSame ? openSecret(deps, kept) : undefined);
  if (secret === undefined) throw invalidInput([{ path: "/clientSecret", message: "is required" }]);
  await discoverProvider(deps, agent, { ...provider, clientSecret: secret });
  const columns = {
    issuer: provider.issuer,
    client_id: provider.clientId,
    sealed_client_secret: seal(deps.secret, `${sealedFor}${organisationId}`, Buffer.from(secret)),
    domains: provider.domains,
    role_claim: provider.roleClaim,
    roles: JSON.stringify(provider.roles),
    default_role: provider.defaultRole,
    is_required: provider.isRequired,
    changed_at: deps.clock.now(),
  };
  await deps.db.transaction().execute(async (tx) => {
    await tx
      .insertInto("identity_providers")
      .values({ organisation_id: organisationId, ...columns })
      .onConflict((conflict) => conflict.column("organisation_id").doUpdateSet(columns))
      .execute();
    if (!isSame) {
      await forgetProvider(tx, organisationId);
      await endSessionsOfProvider(tx, organisationId);
    }
    await recordAudit(tx, actor, deps.clock.now(), "identity_provider.set", provider);
    await publish(tx, organisationId, { kind: "members.changed" });
  });
  return showIdentityProvider(deps, actor);
}

/** Has members sign in with passwords alone, forgets whom the provider knew and ends the sessions that it has opened. */
export function removeIdentityProvider(deps: Deps, actor: Actor): Promise<void> {
  const { organisationId } = actor;
  return deps.db.transaction().execute(async (tx) => {
    await tx.deleteFrom("identity_providers").where("organisation_id", "=", organisationId).execute();
    await forgetProvider(tx, organisationId);
    await endSessionsOfProvider(tx, organisationId);
    await recordAudit(tx, actor, deps.clock.now(), "identity_provider.removed", {});
    await publish(tx, organisationId, { kind: "members.changed" });
  });
}
