import type { IdentityProvider } from "@lodge/contract/dashboard/providers";
import { endSessionsOfProvider } from "../access/end-sessions.ts";
import { recordAudit, type Who } from "../audit/record-audit.ts";
import { forgetProvider } from "../organisations/join-by-provider.ts";
import { seal } from "../platform/config/seal.ts";
import type { Transaction } from "../platform/database/database.ts";
import { publish } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { sealedFor } from "./read-provider.ts";

/** Whether two are the same client of the same provider, so that whom it knew, and its secret, stay. */
export const isSameClient = (one: IdentityProvider | undefined, other: IdentityProvider): boolean =>
  one?.issuer === other.issuer && one.clientId === other.clientId;

/**
 * Keeps the identity provider of an organisation in place of the one `before`. With another issuer or client the sessions
 * that the former one has opened are ended, and whom it knew is forgotten.
 */
export async function keepProvider(
  tx: Transaction,
  { secret, clock }: Pick<Deps, "secret" | "clock">,
  who: Who,
  before: IdentityProvider | undefined,
  provider: IdentityProvider,
  clientSecret: string,
): Promise<void> {
  const { organisationId } = who;
  const columns = {
    issuer: provider.issuer,
    client_id: provider.clientId,
    sealed_client_secret: seal(secret, `${sealedFor}${organisationId}`, Buffer.from(clientSecret)),
    domains: provider.domains,
    role_claim: provider.roleClaim,
    roles: JSON.stringify(provider.roles),
    default_role: provider.defaultRole,
    is_required: provider.isRequired,
    changed_at: clock.now(),
  };
  await tx
    .insertInto("identity_providers")
    .values({ organisation_id: organisationId, ...columns })
    .onConflict((conflict) => conflict.column("organisation_id").doUpdateSet(columns))
    .execute();
  if (!isSameClient(before, provider)) await forgetWhomItKnew(tx, organisationId);
  await recordAudit(tx, who, clock.now(), "identity_provider.set", provider);
  await publish(tx, organisationId, { kind: "members.changed" });
}

/** Has members of an organisation sign in with passwords alone, ends the sessions that its provider has opened, and forgets whom it knew. */
export async function dropProvider(tx: Transaction, { clock }: Pick<Deps, "clock">, who: Who): Promise<void> {
  const { organisationId } = who;
  await tx.deleteFrom("identity_providers").where("organisation_id", "=", organisationId).execute();
  await forgetWhomItKnew(tx, organisationId);
  await recordAudit(tx, who, clock.now(), "identity_provider.removed", {});
  await publish(tx, organisationId, { kind: "members.changed" });
}

async function forgetWhomItKnew(tx: Transaction, organisationId: string): Promise<void> {
  await forgetProvider(tx, organisationId);
  await endSessionsOfProvider(tx, organisationId);
}
