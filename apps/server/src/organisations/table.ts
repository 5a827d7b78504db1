import type { DB } from "../platform/database.generated.ts";

/** The tables that only this room writes. */
export const tables = [
  "organisations",
  "users",
  "accounts",
  "members",
  "invitations",
  "audit_entries",
] as const satisfies readonly (keyof DB)[];
