import type { Reach } from "@lodge/contract/projects";
import { sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import { reachesProject } from "../../people/tokens/reaches-project.ts";
import type { Deps } from "../../platform/deps.ts";

/**
 * The projects, boards, columns and repositories that a token has access to, and its organisation's members, as of one
 * moment.
 */
export async function listReach({ db }: Pick<Deps, "db">, token: Omit<Token, "name">): Promise<Reach> {
  const { rows } = await sql<Reach>`
    select
      (select coalesce(json_agg(json_build_object(
          'id', projects.id, 'name', projects.name, 'slug', projects.slug,
          'boards', (
            select coalesce(json_agg(json_build_object('id', boards.id, 'name', boards.name, 'columns', (
                select coalesce(json_agg(json_build_object('id', columns.id, 'name', columns.name)
                  order by columns.position, columns.id), '[]')
                from columns where columns.organisation_id = boards.organisation_id and board_id = boards.id)
              ) order by boards.position, boards.id), '[]')
            from boards where boards.organisation_id = projects.organisation_id and project_id = projects.id),
          'repositories', (
            select coalesce(json_agg(json_build_object('id', repositories.id, 'name', repositories.name)
              order by repositories.name), '[]')
            from repositories
            where repositories.organisation_id = projects.organisation_id and project_id = projects.id)
        ) order by projects.position, projects.id), '[]')
        from projects
        where projects.organisation_id = ${token.organisationId} and ${reachesProject(token, sql.ref("projects.id"))}
      ) as projects,
      (select coalesce(json_agg(json_build_object('id', users.id, 'name', users.name, 'kind',
          case when users.id = organisations.agent_user_id then 'agent' else 'person' end)
          order by users.name, users.id), '[]')
        from members join users on users.id = members.user_id
        join organisations on organisations.id = members.organisation_id
        where members.organisation_id = ${token.organisationId}) as members`.execute(db);
  return rows[0] ?? { projects: [], members: [] };
}
