import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes; triggers on tickets and their history write `ticket_changes` too. */
export const tables = ["ticket_changes", "hook_deliveries", "hook_attempts"] as const satisfies readonly (keyof DB)[];
