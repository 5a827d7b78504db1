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

/** The entries of an inbox, a page after the other. */
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

/** Lays what has come into an inbox into what is shown of it: of all its pages only the first is fetched. */
async function fetchNewEntries(appId: string, search: InboxSearch) {
  const { queryKey } = inboxQuery(appId, search);
  // A request under way would overwrite it.
  await queryClient
    .getQueryCache()
    .find({ queryKey })
    ?.promise?.catch(() => {});
  try {
    const top = await readInbox(appId, search);
    queryClient.setQueryData(queryKey, (shown) => shown && withTop(shown, top, search.order ?? "newest"));
  } catch {
    await queryClient.invalidateQueries({ queryKey }); // which says what is wrong
  }
}

const dayMs = 86_400_000;

/** Of a text that is too short to be looked for, nothing is sent. */
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

/** The occurrences of a problem, the latest first, a page after the other. */
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

/** Threads with reporters, the latest message first, a page after the other. */
export const threadsQuery = (search: ThreadSearch) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listThreads), search],
    queryFn: ({ pageParam }) =>
      call(listThreads, { query: { ...threadFilter(search), ...(pageParam && { cursor: pageParam }) } }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
  });

/** A thread as lists show it. */
export const threadSummaryQuery = (threadId: string) => query(getThread, { params: { threadId } });

/** A thread with all of its messages. */
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
