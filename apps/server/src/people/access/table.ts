import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes; the sign-in library writes them too. */
export const tables = [
  "known_addresses",
  "passkeys",
  "recovery_codes",
  "sessions",
  "totp_factors",
  "verifications",
] as const satisfies readonly (keyof DB)[];
