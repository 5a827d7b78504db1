import type { IdentityProvider } from "@lodge/contract/dashboard/providers";
import { seal } from "../../platform/config/seal.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { endSessionsOfProvider } from "../access/end-sessions.ts";
import { recordAudit, type Who } from "../audit/record-audit.ts";

/** Whether two are the same client of the same provider, so that its sessions and its secret stay. */
export const isSameClient = (one: IdentityProvider | undefined, other: IdentityProvider): boolean =>
  one?.issuer === other.issuer && one.clientId === other.clientId;

/**
 * Keeps the identity provider of an organisation in place of the one `before`. With another issuer or client the sessions
 * that the former one has opened are ended. Accounts stay linked with whom an issuer has named, for when it is back.
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

/** Has members of an organisation sign in with passwords alone, and ends the sessions that its provider has opened. */
export async function dropProvider(tx: Transaction, { clock }: Pick<Deps, "clock">, who: Who): Promise<void> {
  const { organisationId } = who;
  await tx.deleteFrom("identity_providers").where("organisation_id", "=", organisationId).execute();
  await endSessionsOfProvider(tx, organisationId);
  await recordAudit(tx, who, clock.now(), "identity_provider.removed", {});
  await publish(tx, organisationId, { kind: "members.changed" });
}
