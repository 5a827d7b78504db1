import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = [
  "organisations",
  "credit_entries",
  "users",
  "passwords",
  "identities",
  "members",
  "invitations",
  "password_links",
] as const satisfies readonly (keyof DB)[];
