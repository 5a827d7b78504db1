import { isUniqueViolation, type Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";

/** Changes tokens in one transaction, and tells dashboards. Throws `token_name_taken` for a duplicate name. */
export async function changeTokens<T>({ db }: Deps, actor: Actor, work: (tx: Transaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction().execute(async (tx) => {
      const result = await work(tx);
      await publish(tx, actor.organisationId, { kind: "tokens.changed" });
      return result;
    });
  } catch (error) {
    throw isUniqueViolation(error) ? new Refusal("token_name_taken") : error;
  }
}

/** The distinct projects of a scope, locked so that none is deleted meanwhile. */
export async function findScope(tx: Transaction, { organisationId }: Actor, scope: "all" | string[]) {
  if (scope === "all") return scope;
  const wanted = new Set(scope.map((id) => id.toLowerCase()));
  const found = await tx
    .selectFrom("projects")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "in", [...wanted])
    .forKeyShare()
    .execute();
  if (found.length < wanted.size) throw new Refusal("project_not_found");
  return found.map(({ id }) => id);
}
