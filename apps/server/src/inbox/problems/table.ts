import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = [
  "unread_events",
  "reading_turns",
  "problem_numbers",
  "problems",
  "problem_hashes",
  "problem_texts",
  "problem_facets",
  "problem_installs",
  "problem_users",
  "problem_days",
  "problem_spikes",
  "event_summaries",
  "app_facets",
  "app_releases",
  "app_hours",
  "report_cards",
  "regroupings",
  "regroup_targets",
  "regroup_steps",
] as const satisfies readonly (keyof DB)[];
