import { type RawBuilder, sql } from "kysely";

/** The columns of `board_views` as a member sees them. */
export const viewColumns = (userId: string): RawBuilder<unknown> =>
  sql`id, board_id as "boardId", name, filter, shared, user_id = ${userId} as "isOwn"`;
