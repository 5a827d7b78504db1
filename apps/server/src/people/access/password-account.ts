import type { ExpressionBuilder } from "kysely";
import type { DB } from "../../platform/database/database.generated.ts";

/**
 * Whether a row of `users` is the password account of an address (in lower case), of which there is at most one.
 * Identity provider accounts may have the same address, so every lookup by address must use this.
 */
export const isPasswordAccountOf =
  (email: string) =>
  ({ and, eb }: ExpressionBuilder<DB, "users">) =>
    and([eb("users.email", "=", email), eb("users.provider_organisation_id", "is", null)]);
