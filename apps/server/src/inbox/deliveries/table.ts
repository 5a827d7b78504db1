import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = ["deliveries", "delivery_attempts", "replays"] as const satisfies readonly (keyof DB)[];
