import type { DB } from "../platform/database.generated.ts";

/** The tables that only this room writes. */
export const tables = ["events", "artifacts", "refusals", "store_sweeps"] as const satisfies readonly (keyof DB)[];
