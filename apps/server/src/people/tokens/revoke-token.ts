import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { changeTokens } from "./change-tokens.ts";

/** Revokes a token in every process, from its next request on (interface section 3). Throws `token_not_found`. */
export function revokeToken(deps: Deps, actor: Actor, tokenId: string): Promise<void> {
  return changeTokens(deps, actor, async (tx) => {
    const revoked = await tx
      .updateTable("tokens")
      .set({ revoked_at: deps.clock.now() })
      .where("organisation_id", "=", actor.organisationId)
      .where("id", "=", tokenId)
      .where("revoked_at", "is", null)
      .returning("name")
      .executeTakeFirst();
    if (!revoked) throw new Refusal("token_not_found");
    await recordAudit(tx, actor, deps.clock.now(), "token.revoked", { token: revoked.name });
  });
}
