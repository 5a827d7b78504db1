import type { SealedColumn } from "../../platform/config/seal.ts";
import { nameOf, type Sealed } from "../../platform/database/reseal.ts";

/** Every column whose values are encrypted with LODGE_SECRET (docs/decisions/secrets.md). */
export const sealedColumns: readonly Sealed[] = [
  { table: "signing_secrets", column: "secret", id: ["subscriber_id"] },
  { table: "subscribers", column: "sealed_url", id: ["id"] },
  { table: "organisation_hooks", column: "sealed_url", id: ["id"] },
  { table: "organisation_hooks", column: "secret", id: ["id"] },
  { table: "organisation_hooks", column: "previous_secret", id: ["id"] },
  { table: "notice_choices", column: "slack_url", id: ["organisation_id", "user_id"] },
  { table: "identity_providers", column: "sealed_client_secret", id: ["organisation_id"] },
  { table: "totp_factors", column: "sealed_secret", id: ["user_id"] },
  { table: "cells", column: "sealed_url", id: ["name"] },
];

/**
 * A row of an organisation's table, as JSON, with its secrets replaced by the results of `exchange`: decrypted for an
 * export, encrypted for an import. Rows of other tables do not change.
 */
export function exchangeSecrets(
  table: string,
  row: string,
  exchange: (column: SealedColumn, id: string, value: string) => string,
): string {
  const columns = sealedColumns.filter((sealed) => sealed.table === table);
  if (columns.length === 0) return row;
  const values = JSON.parse(row) as Record<string, string | null>;
  for (const sealed of columns) {
    const value = values[sealed.column];
    if (value == null) continue;
    const id = sealed.id.map((name) => values[name]).join(" ");
    values[sealed.column] = exchange(nameOf(sealed), id, value);
  }
  return JSON.stringify(values);
}
