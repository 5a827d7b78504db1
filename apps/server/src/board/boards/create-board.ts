import type { BoardSummary, CreateBoard } from "@lodge/contract/dashboard/boards";
import type { Actor } from "../../people/access/find-actor.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { listSiblings } from "./list-siblings.ts";

const defaultColumns = ["To do", "Doing", "Done"];

/**
 * Creates a board after the others of its project, with columns; the last default column is the done column. Throws
 * `project_not_found`.
 */
export function createBoard(
  { db }: Deps,
  { organisationId }: Actor,
  { projectId, name, columns }: CreateBoard,
): Promise<BoardSummary> {
  return db.transaction().execute(async (tx) => {
    const project = await tx
      .selectFrom("projects")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where("id", "=", projectId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!project) throw new Refusal("project_not_found");
    const position = (await listSiblings(tx, "boards", organisationId, project.id)).length;
    const board = await tx
      .insertInto("boards")
      .values({ organisation_id: organisationId, project_id: project.id, name, position })
      .returning(["id", "name"])
      .executeTakeFirstOrThrow();
    await tx
      .insertInto("columns")
      .values(
        (columns ?? defaultColumns).map((column, index) => ({
          organisation_id: organisationId,
          board_id: board.id,
          name: column,
          position: index,
          is_done: columns === undefined && index === defaultColumns.length - 1,
        })),
      )
      .execute();
    await publish(tx, organisationId, { kind: "projects.changed" });
    return board;
  });
}
