import type { DB } from "../platform/database.generated.ts";

/** The tables that only this room writes. */
export const tables = [
  "subscribers",
  "signing_secrets",
  "deliveries",
  "delivery_attempts",
] as const satisfies readonly (keyof DB)[];
