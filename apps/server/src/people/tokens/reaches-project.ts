import { type RawBuilder, sql } from "kysely";
import type { Token } from "./authenticate-token.ts";

/** Whether a token has access to the project with the id `projectId`, an SQL expression (interface section 2.1). */
export const reachesProject = (token: Omit<Token, "name">, projectId: RawBuilder<unknown>): RawBuilder<boolean> =>
  token.reachesAllProjects
    ? sql`true`
    : sql`exists (
        select from token_projects
        where token_projects.organisation_id = ${token.organisationId} and token_id = ${token.id}
          and project_id = ${projectId})`;
