import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = ["event_partitions", "events", "refusals", "report_ids"] as const satisfies readonly (keyof DB)[];
