import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = [
  "tickets",
  "ticket_activities",
  "comments",
  "idempotency_records",
  "labels",
  "ticket_texts",
  "ticket_numbers",
  "ticket_search",
  "ticket_search_progress",
] as const satisfies readonly (keyof DB)[];
