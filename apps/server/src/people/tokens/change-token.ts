import type { ApiToken, ChangeApiToken } from "@lodge/contract/dashboard/tokens";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { changeTokens, findScope } from "./change-tokens.ts";
import { readToken } from "./list-tokens.ts";
import { refuseMetrics } from "./refuse-metrics.ts";
import { replaceProjects, scopeOf } from "./token-grant.ts";

/**
 * Renames a token, or changes its scope, permissions or budget. Throws `token_not_found`, `token_name_taken`,
 * `project_not_found` or `invalid_input`.
 */
export function changeToken(deps: Deps, actor: Actor, tokenId: string, input: ChangeApiToken): Promise<ApiToken> {
  return changeTokens(deps, actor, async (tx) => {
    const before = await tx
      .selectFrom("tokens")
      .select(["name", "permissions"])
      .where("organisation_id", "=", actor.organisationId)
      .where("id", "=", tokenId)
      .where("revoked_at", "is", null)
      .forUpdate()
      .executeTakeFirst();
    if (!before) throw new Refusal("token_not_found");
    refuseMetrics(input.permissions ?? [], before.permissions);
    await tx
      .updateTable("tokens")
      .set({
        name: input.name,
        permissions: input.permissions,
        runs_per_day: input.runsPerDay,
        scope: input.scope && scopeOf(input.scope),
        last_used_at: (eb) => eb.ref("last_used_at"), // so that there is always a column to set
      })
      .where("organisation_id", "=", actor.organisationId)
      .where("id", "=", tokenId)
      .execute();
    if (input.scope) {
      await replaceProjects(tx, actor.organisationId, tokenId, await findScope(tx, actor, input.scope));
    }
    await recordAudit(tx, actor, deps.clock.now(), "token.changed", { token: before.name, to: input });
    return readToken(deps, tx, actor, tokenId);
  });
}
