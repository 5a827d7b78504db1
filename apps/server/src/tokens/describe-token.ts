import type { OwnToken } from "@lodge/contract/tokens";
import type { Deps } from "../platform/deps.ts";
import type { Token } from "./authenticate-token.ts";
import { readToken } from "./list-tokens.ts";

/** What a token is told of itself. */
export async function describeToken(deps: Deps, token: Token): Promise<OwnToken> {
  const { name, scope, permissions, createdAt, lastUsedAt } = await readToken(deps, deps.db, token, token.id);
  return { name, scope, permissions, createdAt, lastUsedAt };
}
