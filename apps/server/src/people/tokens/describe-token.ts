import type { OwnToken } from "@lodge/contract/tokens";
import type { Deps } from "../../platform/deps.ts";
import { invalidToken, type Token } from "./authenticate-token.ts";
import { findToken } from "./list-tokens.ts";

/** The token's own description. Throws `invalid_api_token` if it was revoked after it was authenticated. */
export async function describeToken(deps: Deps, token: Token): Promise<OwnToken> {
  const found = await findToken(deps, deps.db, token, token.id);
  if (!found) throw invalidToken();
  const { name, scope, permissions, createdAt, lastUsedAt } = found;
  return { name, scope, permissions, createdAt, lastUsedAt };
}
