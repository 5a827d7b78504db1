import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = [
  "active_installs",
  "allowance_months",
  "install_counts",
  "install_days",
  "key_installs",
  "suspensions",
] as const satisfies readonly (keyof DB)[];
