import type { ApiToken, ApiTokenList } from "@lodge/contract/dashboard/tokens";
import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import type { Basics, Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { Actor } from "../access/find-actor.ts";

const unusedMs = 90 * 86_400_000;

/** The live tokens of an organisation, by name. */
export async function listTokens(
  { db, clock }: Pick<Basics, "db" | "clock">,
  { organisationId }: Pick<Actor, "organisationId">,
): Promise<ApiTokenList> {
  const rows = await selectTokens(db, organisationId).orderBy("name").execute();
  return { tokens: rows.map((row) => toToken(row, clock.now())) };
}

/** A query for the live tokens of an organisation. */
const selectTokens = (db: Database, organisationId: string) =>
  db
    .selectFrom("tokens")
    .select(["id", "name", "prefix", "scope", "permissions", "runs_per_day", "created_at", "last_used_at"])
    .select(
      sql<string[]>`array(
        select project_id from token_projects
        where token_projects.organisation_id = tokens.organisation_id and token_id = tokens.id
        order by project_id)::text[]`.as("project_ids"),
    )
    .where("organisation_id", "=", organisationId)
    .where("revoked_at", "is", null);

type Row = Awaited<ReturnType<ReturnType<typeof selectTokens>["executeTakeFirstOrThrow"]>>;

/** Converts a row of `selectTokens` to the contract's form. */
const toToken = (row: Row, now: Date): ApiToken => ({
  id: row.id,
  name: row.name,
  prefix: row.prefix,
  scope: row.scope === "all" ? "all" : row.project_ids,
  permissions: row.permissions as ApiToken["permissions"],
  runsPerDay: row.runs_per_day,
  createdAt: row.created_at.toISOString(),
  lastUsedAt: row.last_used_at?.toISOString() ?? null,
  unusedFor90Days: now.getTime() - (row.last_used_at ?? row.created_at).getTime() > unusedMs,
});

/** A live token in the contract's form; undefined if there is none. */
export async function findToken(
  { clock }: Deps,
  db: Database,
  { organisationId }: Pick<Actor, "organisationId">,
  tokenId: string,
): Promise<ApiToken | undefined> {
  const row = await selectTokens(db, organisationId).where("id", "=", tokenId).executeTakeFirst();
  return row && toToken(row, clock.now());
}

/** A live token in the contract's form. Throws `token_not_found`. */
export async function readToken(...which: Parameters<typeof findToken>): Promise<ApiToken> {
  const token = await findToken(...which);
  if (!token) throw new Refusal("token_not_found");
  return token;
}
