import { countNotices, getNoticeChoices, listNotices, readNotices } from "@lodge/contract/calls.generated";
import type { ReadNotices, UnreadCount } from "@lodge/contract/dashboard/notices";
import { infiniteQueryOptions, type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { call } from "../../api/call.ts";
import { listenTo } from "../../api/external-store.ts";
import { keyOf, query, staleTimeWhileLive } from "../../api/query.ts";
import { tellFailed } from "../../ui/toasts.tsx";

/** The person's notifications: all or only unread ones. */
export const noticesQuery = (unread: boolean) => {
  const filter = unread ? ({ unread: "only" } as const) : {};
  return infiniteQueryOptions({
    queryKey: keyOf(listNotices, { query: filter }),
    queryFn: ({ pageParam }) => call(listNotices, { query: { ...filter, ...(pageParam && { cursor: pageParam }) } }),
    initialPageParam: "",
    getNextPageParam: (page) => page.nextCursor,
    staleTime: staleTimeWhileLive,
  });
};

export const unreadCountQuery = query(countNotices);

export const noticeChoicesQuery = query(getNoticeChoices);

/** Marks notifications as read or unread. */
export function useReadNotices() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: ReadNotices) => call(readNotices, { body }),
    onSuccess: (counted) => adoptCount(queryClient, counted),
    onError: (error) => tellFailed("Could not mark the notifications as read or unread", error),
  });
}

/** Marks the person's notifications about a ticket as read while the ticket is shown on a visible page. */
export function useReadOnSight(ticketId: string, isShown: boolean) {
  const queryClient = useQueryClient();
  const { data: counted } = useQuery(unreadCountQuery);
  const isSeen = useSyncExternalStore(listenToVisibility, () => document.visibilityState === "visible");
  const { mutate } = useMutation({
    mutationFn: () => call(readNotices, { body: { ticketId } }),
    onSuccess: (left) => {
      known.current = left.unreadCount;
      return adoptCount(queryClient, left);
    },
  });
  /** The known number of unread notifications that are not about this ticket. */
  const known = useRef(0);
  const unread = counted?.unreadCount ?? 0;
  useEffect(() => {
    if (!isShown || !isSeen) return;
    if (unread > known.current) mutate();
    else known.current = unread;
  }, [isShown, isSeen, unread, mutate]);
}

function adoptCount(queryClient: QueryClient, counted: UnreadCount) {
  queryClient.setQueryData(unreadCountQuery.queryKey, counted);
  return queryClient.invalidateQueries({ queryKey: keyOf(listNotices) });
}

const listenToVisibility = listenTo(document, "visibilitychange");
