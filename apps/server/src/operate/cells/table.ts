import type { DB } from "../../platform/database/database.generated.ts";

/** The tables that only this module writes. */
export const tables = [
  "cell_arrivals",
  "cell_changes",
  "cell_credentials",
  "cell_departures",
  "cell_identity",
  "cell_organisations",
  "cells",
] as const satisfies readonly (keyof DB)[];
