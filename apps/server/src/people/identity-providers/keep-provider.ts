import type { IdentityProvider } from "@lodge/contract/dashboard/providers";
import { seal } from "../../platform/config/seal.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { endSessionsOfProvider } from "../access/end-sessions.ts";
import { recordAudit, type Who } from "../audit/record-audit.ts";

/** Whether both are the same client of the same provider, so that sessions and the secret can be kept. */
export const isSameClient = (one: IdentityProvider | undefined, other: IdentityProvider): boolean =>
  one?.issuer === other.issuer && one.clientId === other.clientId;

/**
 * Replaces the identity provider `before` of an organisation. If the issuer or client differs, the sessions that the
 * previous one opened end. Accounts stay linked to identities of the previous issuer, in case it returns.
 */
export async function keepProvider(
  tx: Transaction,
  { sealing, clock }: Pick<Deps, "sealing" | "clock">,
  who: Who,
  before: IdentityProvider | undefined,
  provider: IdentityProvider,
  clientSecret: string,
): Promise<void> {
  const { organisationId } = who;
  const columns = {
    issuer: provider.issuer,
    client_id: provider.clientId,
    sealed_client_secret: seal(sealing, "identity_providers.sealed_client_secret", organisationId, clientSecret),
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
  if (!isSameClient(before, provider)) await endSessionsOfProvider(tx, organisationId);
  await recordAudit(tx, who, clock.now(), "identity_provider.set", provider);
  await publish(tx, organisationId, { kind: "members.changed" });
}

/** Removes an organisation's identity provider, and ends the sessions it opened: members sign in with passwords. */
export async function dropProvider(tx: Transaction, { clock }: Pick<Deps, "clock">, who: Who): Promise<void> {
  const { organisationId } = who;
  await tx.deleteFrom("identity_providers").where("organisation_id", "=", organisationId).execute();
  await endSessionsOfProvider(tx, organisationId);
  await recordAudit(tx, who, clock.now(), "identity_provider.removed", {});
  await publish(tx, organisationId, { kind: "members.changed" });
}
