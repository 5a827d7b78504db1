import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/database.ts";
import { renumber, withMoved } from "../../platform/database/renumber.ts";
import { setDoneColumn } from "./set-done-column.ts";

/**
 * Creates a board with its columns, or puts them in the given order. Boards and columns are matched by name; unnamed
 * ones stay, after the named ones. If no done column is named, it does not change.
 */
export async function applyBoard(
  { tx, clock }: { tx: Transaction; clock: Clock },
  organisationId: string,
  projectId: string,
  position: number,
  { name, columns, doneColumn }: { name: string; columns: string[]; doneColumn?: string },
): Promise<{ id: string; name: string; columns: { id: string; name: string }[] }> {
  const found = await tx
    .selectFrom("boards")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("project_id", "=", projectId)
    .where("name", "=", name)
    .orderBy("position")
    .limit(1)
    .executeTakeFirst();
  const boardId =
    found?.id ??
    (
      await tx
        .insertInto("boards")
        .values({ organisation_id: organisationId, project_id: projectId, name, position })
        .returning("id")
        .executeTakeFirstOrThrow()
    ).id;
  const others = await tx
    .selectFrom("boards")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("project_id", "=", projectId)
    .where("id", "<>", boardId)
    .orderBy("position")
    .orderBy("id")
    .execute();
  const ids = others.map((other) => other.id);
  await renumber(tx, "boards", organisationId, withMoved(ids, boardId, position));
  return {
    id: boardId,
    name,
    columns: await applyColumns({ tx, clock }, organisationId, boardId, { columns, doneColumn }),
  };
}

async function applyColumns(
  { tx, clock }: { tx: Transaction; clock: Clock },
  organisationId: string,
  boardId: string,
  { columns, doneColumn }: { columns: string[]; doneColumn: string | undefined },
): Promise<{ id: string; name: string }[]> {
  const existing = await tx
    .selectFrom("columns")
    .select(["id", "name", "is_done"])
    .where("organisation_id", "=", organisationId)
    .where("board_id", "=", boardId)
    .orderBy("position")
    .orderBy("id")
    .execute();
  const applied: { id: string; name: string }[] = [];
  for (const columnName of columns) {
    const column = existing.find((candidate) => candidate.name === columnName);
    const id =
      column?.id ??
      (
        await tx
          .insertInto("columns")
          .values({ organisation_id: organisationId, board_id: boardId, name: columnName, position: existing.length })
          .returning("id")
          .executeTakeFirstOrThrow()
      ).id;
    applied.push({ id, name: columnName });
  }
  const rest = existing.filter((column) => !applied.some(({ id }) => id === column.id));
  await renumber(
    tx,
    "columns",
    organisationId,
    [...applied, ...rest].map(({ id }) => id),
  );
  const done = applied.find((column) => column.name === doneColumn);
  if (done && !existing.some(({ id, is_done }) => id === done.id && is_done)) {
    await setDoneColumn(tx, organisationId, { boardId, columnId: done.id, at: clock.now() });
  }
  return applied;
}
