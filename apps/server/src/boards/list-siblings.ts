import type { Transaction } from "../platform/database.ts";

/** The boards of a project in their order. */
export const listBoardIds = async (tx: Transaction, organisationId: string, projectId: string): Promise<string[]> =>
  (
    await tx
      .selectFrom("boards")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where("project_id", "=", projectId)
      .orderBy("position")
      .orderBy("id")
      .execute()
  ).map(({ id }) => id);

/** The columns of a board from left to right. */
export const listColumnIds = async (tx: Transaction, organisationId: string, boardId: string): Promise<string[]> =>
  (
    await tx
      .selectFrom("columns")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where("board_id", "=", boardId)
      .orderBy("position")
      .orderBy("id")
      .execute()
  ).map(({ id }) => id);
