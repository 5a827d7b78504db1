import { sql } from "kysely";
import type { Token } from "../../people/tokens/authenticate-token.ts";
import { reachesProject } from "../../people/tokens/reaches-project.ts";
import type { Database } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";

/**
 * The columns that a token has access to within a project, a board or a column, and their projects. Throws
 * `project_not_found`, `board_not_found` or `column_not_found`.
 */
export async function reachedColumns(
  db: Database,
  token: Token,
  { projectId, boardId, columnId }: { projectId?: string; boardId?: string; columnId?: string },
): Promise<{ columnIds: string[]; projectIds: string[] }> {
  const { rows } = await sql<{ project: string; board: string | null; column: string | null }>`
    select projects.id as project, boards.id as board, columns.id as column from projects
    left join boards on boards.organisation_id = projects.organisation_id and boards.project_id = projects.id
    left join columns on columns.organisation_id = boards.organisation_id and columns.board_id = boards.id
    where projects.organisation_id = ${token.organisationId} and ${reachesProject(token, sql.ref("projects.id"))}`.execute(
    db,
  );
  const inProject = rows.filter(({ project }) => projectId === undefined || project === projectId.toLowerCase());
  if (projectId !== undefined && inProject.length === 0) throw new Refusal("project_not_found");
  const onBoard = inProject.filter(({ board }) => boardId === undefined || board === boardId.toLowerCase());
  if (boardId !== undefined && onBoard.length === 0) throw new Refusal("board_not_found");
  const found = onBoard.filter(({ column }) => columnId === undefined || column === columnId.toLowerCase());
  if (columnId !== undefined && found.length === 0) throw new Refusal("column_not_found");
  return {
    columnIds: found.flatMap(({ column }) => column ?? []),
    projectIds: [...new Set(found.map(({ project }) => project))],
  };
}
