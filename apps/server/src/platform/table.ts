import type { DB } from "./database/database.generated.ts";

/** The tables that only the platform writes. */
export const tables = ["rate_limits", "workers"] as const satisfies readonly (keyof DB)[];
