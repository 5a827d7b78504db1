import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = ["ticket_relations"] as const satisfies readonly (keyof DB)[];
