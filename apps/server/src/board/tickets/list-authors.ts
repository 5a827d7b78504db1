import type { AuthorList } from "@lodge/contract/dashboard/tickets";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";

/** The live tokens and the apps of the organisation, by name: the authors of tickets besides people. */
export async function listAuthors({ db }: Deps, { organisationId }: Actor): Promise<AuthorList> {
  const { rows } = await sql<AuthorList["authors"][number]>`
    select 'token' as kind, id, name from tokens where organisation_id = ${organisationId} and revoked_at is null
    union all
    select 'app', id, name from apps where organisation_id = ${organisationId} and deleted_at is null
    order by name, id`.execute(db);
  return { authors: rows };
}
