import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this room writes. */
export const tables = ["artifacts", "images", "store_sweeps"] as const satisfies readonly (keyof DB)[];
