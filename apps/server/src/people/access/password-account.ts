import type { ExpressionBuilder } from "kysely";
import type { DB } from "../../platform/database/database.generated.ts";

/**
 * Whether a row of `users` is the password account of an address (in lower case), of which there is at most one. Accounts
 * that identity providers made may have the same address, so an address is looked up by nothing else.
 */
export const isPasswordAccountOf =
  (email: string) =>
  ({ and, eb }: ExpressionBuilder<DB, "users">) =>
    and([eb("users.email", "=", email), eb("users.provider_organisation_id", "is", null)]);
