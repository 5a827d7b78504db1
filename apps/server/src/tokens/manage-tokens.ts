import type { ApiToken, ChangeApiToken, CreateApiToken, NewApiToken } from "@lodge/contract/dashboard/tokens";
import type { Actor } from "../access/find-actor.ts";
import { isUniqueViolation, type Transaction } from "../platform/database.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { publish } from "../platform/publish.ts";
import { createToken } from "./create-token.ts";
import { selectTokens, toToken } from "./list-tokens.ts";
import { replaceProjects, scopeOf } from "./token-grant.ts";

/** Makes a token, its secret shown this once. Throws `token_name_taken` or `project_not_found`. */
export function addToken(deps: Deps, actor: Actor, input: CreateApiToken): Promise<NewApiToken> {
  return change(deps, actor, async (tx) => {
    const projectIds = await findProjects(tx, actor, input.scope);
    const { id, secret } = await createToken(tx, actor.organisationId, { ...input, projectIds });
    return { token: await readToken(deps, tx, actor, id), secret };
  });
}

/** Renames a token, or changes its scope or permissions. Throws `token_not_found`, `token_name_taken` or `project_not_found`. */
export function changeToken(deps: Deps, actor: Actor, tokenId: string, input: ChangeApiToken): Promise<ApiToken> {
  return change(deps, actor, async (tx) => {
    const changed = await tx
      .updateTable("tokens")
      .set({
        name: input.name,
        permissions: input.permissions,
        scope: input.scope && scopeOf(input.scope),
        last_used_at: (eb) => eb.ref("last_used_at"), // so that there always is something to set
      })
      .where("organisation_id", "=", actor.organisationId)
      .where("id", "=", tokenId)
      .where("revoked_at", "is", null)
      .returning("id")
      .executeTakeFirst();
    if (!changed) throw new Refusal("token_not_found");
    if (input.scope) {
      await replaceProjects(tx, actor.organisationId, tokenId, await findProjects(tx, actor, input.scope));
    }
    return readToken(deps, tx, actor, tokenId);
  });
}

/** Refuses a token from the very next request on, in every process (interface section 3). Throws `token_not_found`. */
export function revokeToken(deps: Deps, actor: Actor, tokenId: string): Promise<void> {
  return change(deps, actor, async (tx) => {
    const revoked = await tx
      .updateTable("tokens")
      .set({ revoked_at: deps.clock.now() })
      .where("organisation_id", "=", actor.organisationId)
      .where("id", "=", tokenId)
      .where("revoked_at", "is", null)
      .returning("id")
      .executeTakeFirst();
    if (!revoked) throw new Refusal("token_not_found");
  });
}

async function change<T>({ db }: Deps, actor: Actor, work: (tx: Transaction) => Promise<T>): Promise<T> {
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

/** The projects of a scope, each once, held so that none is deleted meanwhile. */
async function findProjects(tx: Transaction, { organisationId }: Actor, scope: "all" | string[]) {
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

async function readToken({ clock }: Deps, tx: Transaction, { organisationId }: Actor, tokenId: string) {
  return toToken(
    await selectTokens(tx, organisationId).where("id", "=", tokenId).executeTakeFirstOrThrow(),
    clock.now(),
  );
}
