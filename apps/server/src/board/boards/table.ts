import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = ["boards", "columns", "board_views", "board_favourites"] as const satisfies readonly (keyof DB)[];
