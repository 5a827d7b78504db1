import type { IdentityProviderSettings, SetIdentityProvider } from "@lodge/contract/dashboard/providers";
import type { Dispatcher } from "undici";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";
import { redirectUri } from "./begin-provider-sign-in.ts";
import { discoverProvider } from "./discover-provider.ts";
import { dropProvider, isSameClient, keepProvider } from "./keep-provider.ts";
import { findProvider, openSecret } from "./read-provider.ts";

/** The identity provider of an organisation, with the values to register there. */
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
 * Sets the identity provider of an organisation, after fetching its configuration. If the issuer or client differs, the
 * sessions that the previous provider opened end. Throws `invalid_input` if the client secret is missing, and
 * `provider_unreachable`.
 */
export async function setIdentityProvider(
  deps: Deps,
  agent: Dispatcher,
  actor: Actor,
  { clientSecret, ...provider }: SetIdentityProvider,
): Promise<IdentityProviderSettings> {
  const { organisationId } = actor;
  const kept = await findProvider(deps.db, organisationId);
  const secret = clientSecret ?? (kept && isSameClient(kept.provider, provider) ? openSecret(deps, kept) : undefined);
  if (secret === undefined) throw invalidInput([{ path: "/clientSecret", message: "is required" }]);
  await discoverProvider(deps, agent, { ...provider, clientSecret: secret });
  await deps.db.transaction().execute((tx) => keepProvider(tx, deps, actor, kept?.provider, provider, secret));
  return showIdentityProvider(deps, actor);
}

/** Removes the identity provider, and ends the sessions that it opened. Members then sign in with passwords. */
export const removeIdentityProvider = (deps: Deps, actor: Actor): Promise<void> =>
  deps.db.transaction().execute((tx) => dropProvider(tx, deps, actor));
