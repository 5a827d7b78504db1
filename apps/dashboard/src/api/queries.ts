import type {
  InvitationLink,
  InvitationList,
  MemberList,
  PersonList,
  Session,
  SetupState,
} from "@lodge/contract/dashboard/access";
import type { Board, Card, CardPage, ProjectList } from "@lodge/contract/dashboard/boards";
import type { ActivityPage, CommentPage, TicketDetails, TicketPlace } from "@lodge/contract/dashboard/tickets";
import type { ApiTokenList } from "@lodge/contract/dashboard/tokens";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { isApiError, request } from "./request.ts";

const get = <Answer>(path: string) => request<Answer>("GET", path);
const encode = encodeURIComponent;

/** Who is signed in; null for nobody. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: () =>
    get<Session>("session").catch((error: unknown) => {
      if (isApiError(error, "not_signed_in")) return null;
      throw error;
    }),
  staleTime: 60_000,
});

export const setupQuery = queryOptions({ queryKey: ["setup"], queryFn: () => get<SetupState>("setup") });

export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  queryFn: () => get<ProjectList>("projects"),
  select: (answer) => answer.projects,
});

export const peopleQuery = queryOptions({
  queryKey: ["people"],
  queryFn: () => get<PersonList>("people"),
  select: (answer) => answer.people,
});

export const membersQuery = queryOptions({
  queryKey: ["members"],
  queryFn: () => get<MemberList>("members"),
  select: (answer) => answer.members,
});

export const invitationsQuery = queryOptions({
  queryKey: ["invitations"],
  queryFn: () => get<InvitationList>("invitations"),
  select: (answer) => answer.invitations,
});

export const invitationLinkQuery = (secret: string) =>
  queryOptions({
    queryKey: ["invitation-link", secret],
    queryFn: () => get<InvitationLink>(`invitation-links/${encode(secret)}`),
  });

export const tokensQuery = queryOptions({
  queryKey: ["tokens"],
  queryFn: () => get<ApiTokenList>("tokens"),
  select: (answer) => answer.tokens,
});

/** Which cards of a board are shown, as its address says it. */
export type CardFilter = { q?: string; assignee?: string; priority?: Card["priority"] };

const pagesWanted = new Map<string, number>();

/** From the next time that its board is fetched on, a page more of the column's cards comes with it. */
export const wantMoreCards = (columnId: string) => pagesWanted.set(columnId, (pagesWanted.get(columnId) ?? 1) + 1);

/** A board with the topmost cards of its columns. */
export const boardQuery = (boardId: string, filter: CardFilter) =>
  queryOptions({
    queryKey: ["board", boardId, filter],
    queryFn: async (): Promise<Board> => {
      const board = await get<Board>(`boards/${encode(boardId)}${search(filter)}`);
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
    const next = await get<CardPage>(`columns/${encode(column.id)}/cards${search(filter, whole.nextCursor)}`);
    whole = { ...whole, ...next, cards: [...whole.cards, ...next.cards] };
  }
  return whole;
}

function search(filter: CardFilter, cursor?: string): string {
  const parameters = new URLSearchParams();
  if (filter.q) parameters.set("text", filter.q);
  if (filter.assignee) parameters.set("assignee", filter.assignee);
  if (filter.priority) parameters.set("priority", filter.priority);
  if (cursor) parameters.set("cursor", cursor);
  return parameters.size > 0 ? `?${parameters}` : "";
}

export const ticketQuery = (ticketId: string) =>
  queryOptions({ queryKey: ["ticket", ticketId], queryFn: () => get<TicketDetails>(`tickets/${encode(ticketId)}`) });

export const ticketPlaceQuery = (ticketId: string) =>
  queryOptions({
    queryKey: ["ticket-place", ticketId],
    queryFn: () => get<TicketPlace>(`tickets/${encode(ticketId)}/place`),
  });

export const commentsQuery = (ticketId: string) =>
  infiniteQueryOptions({
    queryKey: ["comments", ticketId],
    queryFn: ({ pageParam }) => get<CommentPage>(`tickets/${encode(ticketId)}/comments${search({}, pageParam)}`),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

export const activitiesQuery = (ticketId: string) =>
  infiniteQueryOptions({
    queryKey: ["activities", ticketId],
    queryFn: ({ pageParam }) => get<ActivityPage>(`tickets/${encode(ticketId)}/activities${search({}, pageParam)}`),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });
