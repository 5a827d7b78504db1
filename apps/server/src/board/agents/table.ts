import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = ["agent_runs", "runners", "run_log_entries"] as const satisfies readonly (keyof DB)[];
