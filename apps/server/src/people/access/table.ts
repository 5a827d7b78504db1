import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = [
  "known_addresses",
  "passkey_challenges",
  "passkeys",
  "recovery_codes",
  "sessions",
  "totp_factors",
] as const satisfies readonly (keyof DB)[];
