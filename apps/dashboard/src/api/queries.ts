import type { CallAnswer } from "@lodge/contract/call";
import {
  getInvitationLink,
  getSession,
  getSetup,
  getTicket,
  getTicketPlace,
  listActivities,
  listCards,
  listComments,
  listInvitations,
  listMembers,
  listPeople,
  listProjects,
  listTokens,
  viewBoard,
} from "@lodge/contract/calls.generated";
import type { Board, Card } from "@lodge/contract/dashboard/boards";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call, isRefused } from "./call.ts";
import { keyOf, query } from "./query.ts";

/** Who is signed in; null for nobody. */
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

export const invitationLinkQuery = (secret: string) => query(getInvitationLink, { params: { secret } });

/** Which cards of a board are shown, as its address says it. */
export type CardFilter = { q?: string; assignee?: string; priority?: Card["priority"] };

const pagesWanted = new Map<string, number>();

/** From the next time that its board is fetched on, a page more of the column's cards comes with it. */
export const wantMoreCards = (columnId: string) => pagesWanted.set(columnId, (pagesWanted.get(columnId) ?? 1) + 1);

/** A board with the topmost cards of its columns. */
export const boardQuery = (boardId: string, filter: CardFilter) =>
  queryOptions({
    queryKey: keyOf(viewBoard, { params: { boardId }, query: filter }),
    queryFn: async (): Promise<Board> => {
      const board = await call(viewBoard, { params: { boardId }, query: asSent(filter) });
      const columns = await Promise.all(
        board.columns.map((column) => readFurther(column, filter, pagesWanted.get(column.id) ?? 1)),
      );
      return { ...board, columns };
    },
  });

type Column = Board["columns"][number];

async function readFurther(column: Column, filter: CardFilter, pagesWanted: number): Promise<Column> {
  let whole = column;
  for (let page = 1; page < pagesWanted && whole.nextCursor !== null; page++) {
    const next = await call(listCards, {
      params: { columnId: column.id },
      query: { ...asSent(filter), cursor: whole.nextCursor },
    });
    whole = { ...whole, ...next, cards: [...whole.cards, ...next.cards] };
  }
  return whole;
}

/** What is not filtered by is left out. */
const asSent = ({ q, assignee, priority }: CardFilter) => ({
  ...(q && { text: q }),
  ...(assignee && { assignee }),
  ...(priority && { priority }),
});

export const ticketQuery = (ticketId: string) => query(getTicket, { params: { ticketId } });

export const ticketPlaceQuery = (ticketId: string) => query(getTicketPlace, { params: { ticketId } });

const from = (cursor: string) => (cursor ? { cursor } : {});

export const commentsQuery = (ticketId: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(listComments, { params: { ticketId } }),
    queryFn: ({ pageParam }) => call(listComments, { params: { ticketId }, query: from(pageParam) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

export const activitiesQuery = (ticketId: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(listActivities, { params: { ticketId } }),
    queryFn: ({ pageParam }) => call(listActivities, { params: { ticketId }, query: from(pageParam) }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });
