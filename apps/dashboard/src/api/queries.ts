import type { CallAnswer } from "@lodge/contract/call";
import {
  getInvitationLink,
  getPasswordLink,
  getSession,
  getSetup,
  getTicket,
  getTicketPlace,
  listActivities,
  listArchive,
  listAuthors,
  listBoardFigures,
  listBoardViews,
  listCards,
  listComments,
  listInvitations,
  listLabels,
  listMembers,
  listPeople,
  listProjects,
  listTokens,
  readTexts,
  searchCards,
  viewBoard,
} from "@lodge/contract/calls.generated";
import type { CardFilter, CardSort } from "@lodge/contract/dashboard/boards";
import { infiniteQueryOptions, type QueryClient, queryOptions } from "@tanstack/react-query";
import { call, isRefused } from "./call.ts";
import { sortOf } from "./column-choices.ts";
import { type LoadedBoard, type LoadedColumn, loadedColumn, sorted, withNextPage } from "./patch-board.ts";
import { keyOf, query, staleTimeWhileLive, unannouncedStaleMs } from "./query.ts";
import { toldSoFar, withToldSince } from "./told.ts";

/** The session; null when signed out. */
export const sessionQuery = queryOptions({
  queryKey: keyOf(getSession),
  queryFn: (): Promise<CallAnswer<typeof getSession> | null> =>
    call(getSession).catch((error: unknown) => {
      if (isRefused(error, "not_signed_in")) return null;
      throw error;
    }),
  staleTime: 60_000,
});

export const setupQuery = query(getSetup);

export const projectsQuery = {
  ...query(listProjects),
  select: ({ projects }: CallAnswer<typeof listProjects>) => projects,
};

export const peopleQuery = { ...query(listPeople), select: ({ people }: CallAnswer<typeof listPeople>) => people };

export const membersQuery = { ...query(listMembers), select: ({ members }: CallAnswer<typeof listMembers>) => members };

export const invitationsQuery = {
  ...query(listInvitations),
  select: ({ invitations }: CallAnswer<typeof listInvitations>) => invitations,
};

export const tokensQuery = { ...query(listTokens), select: ({ tokens }: CallAnswer<typeof listTokens>) => tokens };

export const passwordLinkQuery = (secret: string) => query(getPasswordLink, { params: { secret } });

export const invitationLinkQuery = (secret: string) => query(getInvitationLink, { params: { secret } });

export const authorsQuery = { ...query(listAuthors), select: ({ authors }: CallAnswer<typeof listAuthors>) => authors };

/**
 * The labels, optionally those whose name contains a text. No event announces a new label, which is created with a card,
 * so the list becomes stale after 10 seconds.
 */
export const labelsQuery = (text?: string) => ({
  ...query(listLabels, { query: text ? { text } : {} }),
  staleTime: unannouncedStaleMs,
});

/** The number of cards and open cards of each board, and its last activity, by board ID. */
export const boardFiguresQuery = {
  ...query(listBoardFigures),
  select: ({ boards }: CallAnswer<typeof listBoardFigures>) => new Map(boards.map((board) => [board.id, board])),
};

/** The person's views of all boards, and their favourite boards. */
export const boardViewsQuery = query(listBoardViews);

/** The cards, problems and reports that match a text. */
export const searchQuery = (text: string) => query(searchCards, { query: { text } });

const wantedOf = new Map<string, () => number>();

/**
 * Sets how many cards of a column to fetch with its board: all down to the last visible one. Returns a function that
 * resets it.
 */
export function wantCards(columnId: string, wanted: () => number): () => void {
  wantedOf.set(columnId, wanted);
  return () => wantedOf.delete(columnId);
}

/** A board with the topmost cards of its columns. `loadNextPage` loads more. */
export const boardQuery = (boardId: string, filter: CardFilter) =>
  queryOptions({
    queryKey: keyOf(viewBoard, { params: { boardId }, query: filter }),
    queryFn: async (): Promise<LoadedBoard> => {
      const then = toldSoFar();
      const board = await call(viewBoard, { params: { boardId }, query: filter });
      const columns = await Promise.all(
        board.columns.map(async (column) =>
          loadWantedCards(await inOrder(loadedColumn(column), sortOf(column.id), filter), filter),
        ),
      );
      return withToldSince(then, { ...board, columns }, filter);
    },
    staleTime: staleTimeWhileLive,
  });

/** The column in an order: sorted here if all of it is loaded, else its first page from the server. */
export async function inOrder(
  column: LoadedColumn,
  sort: CardSort | undefined,
  filter: CardFilter,
): Promise<LoadedColumn> {
  if (column.sort === sort) return column;
  if (column.nextCursor === null) return sorted(column, sort);
  const query = { ...filter, ...(sort && { sort }) };
  return loadedColumn({ ...column, ...(await call(listCards, { params: { columnId: column.id }, query })) }, sort);
}

/** The number of cards of a column or list down to the last visible one. */
export const wantedCards = (id: string): number => wantedOf.get(id)?.() ?? 0;

async function loadWantedCards(column: LoadedColumn, filter: CardFilter): Promise<LoadedColumn> {
  const wanted = wantedCards(column.id);
  let loaded = column;
  while (loaded.nextCursor !== null && loaded.cards.length < wanted) {
    loaded = withNextPage(loaded, await readPage(loaded, loaded.nextCursor, filter));
  }
  return loaded;
}

const readPage = ({ id: columnId, sort }: LoadedColumn, cursor: string, filter: CardFilter) =>
  call(listCards, { params: { columnId }, query: { ...filter, ...(sort && { sort }), cursor } });

/** Loads the next page of cards of a column. */
export async function loadNextPage(queryClient: QueryClient, boardId: string, filter: CardFilter, columnId: string) {
  const { queryKey } = boardQuery(boardId, filter);
  const columnOf = (board: LoadedBoard | undefined) => board?.columns.find(({ id }) => id === columnId);
  const before = columnOf(queryClient.getQueryData(queryKey));
  const cursor = before?.nextCursor;
  if (!cursor) return;
  const then = toldSoFar();
  const page = await readPage(before, cursor, filter);
  queryClient.setQueryData(queryKey, (board) => {
    const column = columnOf(board);
    if (!board || column?.nextCursor !== cursor) return board; // refetched meanwhile
    const columns = board.columns.map((each) => (each === column ? withNextPage(column, page) : each));
    return withToldSince(then, { ...board, columns }, filter);
  });
}

export const ticketQuery = (ticketId: string) => query(getTicket, { params: { ticketId } });

export const ticketPlaceQuery = (ticketId: string) => query(getTicketPlace, { params: { ticketId } });

const cursorQuery = (cursor: string) => (cursor ? { cursor } : {});

export const commentsQuery = (ticketId: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(listComments, { params: { ticketId } }),
    queryFn: ({ pageParam }) => call(listComments, { params: { ticketId }, query: cursorQuery(pageParam) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
    staleTime: staleTimeWhileLive,
  });

/** The archived cards of a board. */
export const archiveQuery = (boardId: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(listArchive, { params: { boardId } }),
    queryFn: ({ pageParam }) => call(listArchive, { params: { boardId }, query: cursorQuery(pageParam) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
    staleTime: staleTimeWhileLive,
  });

/** The texts before and after a history entry. They never change. */
export const textsQuery = (ticketId: string, activityId: string) => ({
  ...query(readTexts, { params: { ticketId, activityId } }),
  staleTime: Number.POSITIVE_INFINITY,
});

export const activitiesQuery = (ticketId: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(listActivities, { params: { ticketId } }),
    queryFn: ({ pageParam }) => call(listActivities, { params: { ticketId }, query: cursorQuery(pageParam) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
    staleTime: staleTimeWhileLive,
  });
