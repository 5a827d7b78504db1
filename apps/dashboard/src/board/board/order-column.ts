import { viewBoard } from "@lodge/contract/calls.generated";
import type { CardFilter } from "@lodge/contract/dashboard/boards";
import type { QueryClient } from "@tanstack/react-query";
import { sortOf } from "../../api/column-choices.ts";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { boardQuery, inOrder } from "../../api/queries.ts";
import { toldSoFar, withToldSince } from "../../api/told.ts";

/** Applies a new order to a column of the board. */
export async function orderColumn(queryClient: QueryClient, boardId: string, filter: CardFilter, columnId: string) {
  const { queryKey } = boardQuery(boardId, filter);
  const columnOf = (board: LoadedBoard | undefined) => board?.columns.find(({ id }) => id === columnId);
  void queryClient.invalidateQueries({ queryKey: [viewBoard.id], refetchType: "none" }); // cached with other filters
  const then = toldSoFar();
  const before = columnOf(queryClient.getQueryData(queryKey));
  const sort = sortOf(columnId);
  const ordered = before && (await inOrder(before, sort, filter));
  queryClient.setQueryData(queryKey, (board) => {
    if (!board || !ordered || sortOf(columnId) !== sort) return board;
    const columns = board.columns.map((each) => (each.id === columnId ? ordered : each));
    return withToldSince(then, { ...board, columns }, filter);
  });
}
