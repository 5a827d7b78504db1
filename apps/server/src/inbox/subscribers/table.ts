import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = [
  "subscribers",
  "signing_secrets",
  "subscriber_hours",
  "told_hashes",
] as const satisfies readonly (keyof DB)[];
