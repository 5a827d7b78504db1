import { countNotices, getNoticeChoices, listNotices, readNotices } from "@lodge/contract/calls.generated";
import type { ReadNotices } from "@lodge/contract/dashboard/notices";
import { infiniteQueryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { keyOf, query, staleTimeWhileLive } from "../api/query.ts";
import { tellFailed } from "../ui/toasts.tsx";

/** What the person is to be told: all of it, or what is unread. */
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

/** Notes which notices have been read, or have not. */
export function useReadNotices() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: ReadNotices) => call(readNotices, { body }),
    onSuccess: async (counted) => {
      queryClient.setQueryData(unreadCountQuery.queryKey, counted);
      await queryClient.invalidateQueries({ queryKey: keyOf(listNotices) });
    },
    onError: (error) => tellFailed("It was not noted what you have read", error),
  });
}
