import { type RawBuilder, sql } from "kysely";

/** The statement that moves tickets to the trash of their project, alone or before `returning`. */
export const toTrashSql = (
  organisationId: string,
  ids: readonly string[],
  at: Date,
  by: string,
): RawBuilder<unknown> => sql`
  update tickets set column_id = null, deleted_at = ${at}, deleted_by = ${by},
    deleted_project_id = boards.project_id, deleted_board_id = boards.id, deleted_column_id = columns.id,
    deleted_problem = problem, problem = null
  from columns join boards on boards.organisation_id = columns.organisation_id and boards.id = columns.board_id
  where tickets.organisation_id = ${organisationId} and tickets.id = any(${ids}::uuid[])
    and columns.organisation_id = tickets.organisation_id and columns.id = tickets.column_id`;
