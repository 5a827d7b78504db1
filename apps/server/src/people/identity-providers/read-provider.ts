import type { IdentityProvider } from "@lodge/contract/dashboard/providers";
import { unseal } from "../../platform/config/seal.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { unreachable } from "./discover-provider.ts";

/** A provider as it is stored. */
export type Stored = {
  organisationId: string;
  slug: string;
  provider: IdentityProvider;
  sealedSecret: string;
  changedAt: Date;
};

/** The identity provider of the organisation with this slug. Throws `provider_not_found`. */
export async function readProvider(db: Database, slug: string): Promise<Stored> {
  const found = await selectProviders(db).where("slug", "=", slug).executeTakeFirst();
  if (!found) throw new Refusal("provider_not_found");
  return toStored(found);
}

/** The identity provider of an organisation, if it has one. */
export async function findProvider(db: Database, organisationId: string): Promise<Stored | undefined> {
  const found = await selectProviders(db).where("organisation_id", "=", organisationId).executeTakeFirst();
  return found && toStored(found);
}

/** Locks a provider as it was read until the transaction ends; returns false if it was changed or removed meanwhile. */
export async function holdProvider(tx: Transaction, { organisationId, changedAt }: Stored): Promise<boolean> {
  const held = await tx
    .selectFrom("identity_providers")
    .select("organisation_id")
    .where("organisation_id", "=", organisationId)
    .where("changed_at", "=", changedAt)
    .forShare()
    .executeTakeFirst();
  return held !== undefined;
}

/** The client secret of a provider. Throws `provider_unreachable` if it was encrypted with another LODGE_SECRET. */
export function openSecret({ sealing }: Pick<Deps, "sealing">, { organisationId, sealedSecret }: Stored): string {
  try {
    return unseal(sealing, "identity_providers.sealed_client_secret", organisationId, sealedSecret).toString();
  } catch {
    throw unreachable("its client secret was encrypted with another LODGE_SECRET and must be entered again");
  }
}

const selectProviders = (db: Database) =>
  db
    .selectFrom("identity_providers")
    .innerJoin("organisations", "organisations.id", "organisation_id")
    .select([
      "organisation_id",
      "slug",
      "issuer",
      "client_id",
      "sealed_client_secret",
      "domains",
      "role_claim",
      "roles",
    ])
    .select(["default_role", "is_required", "changed_at"]);

type Row = NonNullable<Awaited<ReturnType<ReturnType<typeof selectProviders>["executeTakeFirst"]>>>;

const toStored = (row: Row): Stored => ({
  organisationId: row.organisation_id,
  slug: row.slug,
  sealedSecret: row.sealed_client_secret,
  changedAt: row.changed_at,
  provider: {
    issuer: row.issuer,
    clientId: row.client_id,
    domains: row.domains,
    roleClaim: row.role_claim,
    roles: row.roles as IdentityProvider["roles"],
    defaultRole: row.default_role as IdentityProvider["defaultRole"],
    isRequired: row.is_required,
  },
});
