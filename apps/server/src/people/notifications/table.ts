import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = [
  "notices",
  "notice_choices",
  "happenings",
  "organisation_hooks",
] as const satisfies readonly (keyof DB)[];
