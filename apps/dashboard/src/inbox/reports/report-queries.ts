import {
  countThreads,
  getEvent,
  getEventPlace,
  getInboxHistogram,
  getProblem,
  getThread,
  getTicketReport,
  listInboxChoices,
  listInboxes,
  listProblemEvents,
  listReleases,
  listThreads,
  listTopProblems,
  readThread,
  viewInbox,
} from "@lodge/contract/calls.generated";
import type { InboxFilter } from "@lodge/contract/dashboard/inbox";
import { searchLengthMin } from "@lodge/contract/limits";
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { queryClient } from "../../api/client.ts";
import { keyOf, query, staleTimeWhileLive } from "../../api/query.ts";
import type { InboxSearch, Within } from "./inbox-search.ts";
import { withTop } from "./patch-inbox.ts";
import { type ThreadSearch, threadFilter } from "./thread-search.ts";

export const inboxesQuery = query(listInboxes);

export const topProblemsQuery = query(listTopProblems);

export const releasesQuery = (appId: string) => query(listReleases, { params: { appId } });

export const inboxChoicesQuery = (appId: string) => query(listInboxChoices, { params: { appId } });

export const histogramQuery = (appId: string, { kind, within = "7" }: InboxSearch) =>
  query(getInboxHistogram, { params: { appId }, query: { days: within, ...(kind && { kind }) } });

/** The entries of an inbox, page by page. */
export const inboxQuery = (appId: string, search: InboxSearch) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(viewInbox, { params: { appId } }), search],
    queryFn: ({ pageParam }) => readInbox(appId, search, pageParam),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
    staleTime: staleTimeWhileLive,
    meta: { fetchNew: () => fetchNewEntries(appId, search) },
  });

const readInbox = (appId: string, search: InboxSearch, cursor = "") =>
  call(viewInbox, { params: { appId }, query: { ...asSent(search), ...(cursor && { cursor }) } });

/** Adds new entries to the cached inbox by fetching only its first page. */
async function fetchNewEntries(appId: string, search: InboxSearch) {
  const { queryKey } = inboxQuery(appId, search);
  // A request in flight would overwrite the result.
  await queryClient
    .getQueryCache()
    .find({ queryKey })
    ?.promise?.catch(() => {});
  try {
    const top = await readInbox(appId, search);
    queryClient.setQueryData(queryKey, (shown) => shown && withTop(shown, top, search.order ?? "newest"));
  } catch {
    await queryClient.invalidateQueries({ queryKey }); // so that the query shows the error
  }
}

const dayMs = 86_400_000;

/** The filter as sent to the server: a text that is too short to search for is left out. */
function asSent({ q, within, attachments, ...others }: InboxSearch): InboxFilter {
  const text = q?.trim() ?? "";
  return {
    ...others,
    ...([...text].length >= searchLengthMin && { text }),
    ...(within && { from: daysAgo(within) }),
    ...(attachments && { attachments: "true" }),
  };
}

const daysAgo = (days: Within) => new Date(Date.now() - Number(days) * dayMs).toISOString();

export const eventQuery = (eventId: string) => query(getEvent, { params: { eventId } });

export const eventPlaceQuery = (eventId: string) => query(getEventPlace, { params: { eventId } });

export const problemQuery = (problemId: string) => query(getProblem, { params: { problemId } });

/** The occurrences of a problem, latest first, page by page. */
export const problemEventsQuery = (problemId: string) =>
  infiniteQueryOptions({
    queryKey: keyOf(listProblemEvents, { params: { problemId } }),
    queryFn: ({ pageParam }) =>
      call(listProblemEvents, { params: { problemId }, query: pageParam ? { cursor: pageParam } : {} }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

/** The report or problem of a card. */
export const ticketReportQuery = (ticketId: string) => query(getTicketReport, { params: { ticketId } });

export const threadCountsQuery = query(countThreads);

/** Conversations with reporters, page by page, by latest message first. */
export const threadsQuery = (search: ThreadSearch) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listThreads), search],
    queryFn: ({ pageParam }) =>
      call(listThreads, { query: { ...threadFilter(search), ...(pageParam && { cursor: pageParam }) } }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

/** A conversation as in the list. */
export const threadSummaryQuery = (threadId: string) => query(getThread, { params: { threadId } });

/** A conversation with all of its messages. */
export const threadQuery = (threadId: string) =>
  queryOptions({
    queryKey: keyOf(readThread, { params: { threadId } }),
    queryFn: async () => {
      const thread = await call(readThread, { params: { threadId } });
      for (let page = thread; page.more; ) {
        page = await call(readThread, { params: { threadId }, query: { after: `${thread.messages.length}` } });
        thread.messages.push(...page.messages);
      }
      return thread;
    },
  });
