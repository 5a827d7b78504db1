import type { ErrorCode } from "@lodge/contract/errors";
import { lastId, nilId } from "../../platform/uuid-time.ts";

/** Restricts an indexed id to the named one, or allows any if none is named. An `or` would scan the whole table. */
const isNamed = (id: string, named: string) => `${id} between
  coalesce(${named}, '${nilId}') and coalesce(${named}, '${lastId}')`;

/** The parameters that name a ticket's place and author, for `placeSql` and `refusalSql`. */
export const placeColumns = {
  organisation_id: "uuid",
  token_id: "uuid?",
  reaches_all: "boolean",
  project_id: "uuid?",
  board_id: "uuid?",
  column_id: "uuid?",
} as const;

/**
 * The joins that find the place of each `request`: `reached` has the one or two projects that it may mean; `board` and
 * `board_column` are where its ticket goes (interface section 4.1). A token's place starts from the projects that it
 * has access to; that of a person or an app is a column or a board of the organisation.
 */
export const placeSql = `
    cross join lateral (
      select count(*) as projects, any_value(id) as project_id, any_value(board_id) as board_id from (
        select project_id as id, request.board_id from token_projects
        where not request.reaches_all and organisation_id = request.organisation_id and token_id = request.token_id
          and (request.project_id is null or project_id = request.project_id)
        union all
        select id, request.board_id from projects
        where request.reaches_all and organisation_id = request.organisation_id
          and ${isNamed("id", "request.project_id")}
        union all
        select project_id, boards.id from boards
        where request.token_id is null and organisation_id = request.organisation_id
          and boards.id = coalesce(request.board_id, (
            select columns.board_id from columns
            where organisation_id = request.organisation_id and columns.id = request.column_id))
        limit 2) project
    ) reached
    left join lateral (
      select id from boards
      where organisation_id = request.organisation_id and project_id = reached.project_id
        and (reached.board_id is null or id = reached.board_id)
      order by position, id limit 1
    ) board on true
    left join lateral (
      select id, is_done from columns
      where organisation_id = request.organisation_id and columns.board_id = board.id
        and (request.column_id is null or id = request.column_id)
      order by position, id limit 1
    ) board_column on true`;

/** The result of `placeSql`, as columns. */
export const foundColumns = `reached.projects, reached.project_id as found_project_id,
      board.id as found_board_id, board_column.id as found_column_id, board_column.is_done`;

/** The branches of a `case` that give the reason a place was not found (contract section 2, step 7). */
export const placeRefusalsSql = `
        when projects > 1 then 'project_required'
        when projects = 0 and token_id is not null then 'project_not_found'
        when found_board_id is null and token_id is not null then 'board_not_found'
        when found_column_id is null then 'column_not_found'`;

/** The refusals of a ticket whose place is invalid. */
export type PlaceRefusal = Extract<
  ErrorCode,
  "project_required" | "project_not_found" | "board_not_found" | "column_not_found"
>;
