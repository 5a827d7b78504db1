import type { CreateApiToken, NewApiToken } from "@lodge/contract/dashboard/tokens";
import type { Deps } from "../../platform/deps.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { changeTokens, findScope } from "./change-tokens.ts";
import { insertToken } from "./insert-token.ts";
import { readToken } from "./list-tokens.ts";
import { refuseMetrics } from "./refuse-metrics.ts";

/**
 * Creates a token and returns its secret, which is shown only once. Throws `token_name_taken`, `project_not_found` or
 * `invalid_input`.
 */
export async function createToken(deps: Deps, actor: Actor, input: CreateApiToken): Promise<NewApiToken> {
  refuseMetrics(input.permissions);
  return changeTokens(deps, actor, async (tx) => {
    const projectIds = await findScope(tx, actor, input.scope);
    const { id, secret } = await insertToken(tx, actor.organisationId, { ...input, projectIds });
    await recordAudit(tx, actor, deps.clock.now(), "token.created", {
      token: input.name,
      permissions: input.permissions,
    });
    return { token: await readToken(deps, tx, actor, id), secret };
  });
}
