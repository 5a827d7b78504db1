import type { CallAnswer } from "@lodge/contract/call";
import { readRunLog } from "@lodge/contract/calls.generated";
import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "../../api/call.ts";
import { keyOf, staleTimeWhileLive } from "../../api/query.ts";
import { LoadError } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

type Entries = CallAnswer<typeof readRunLog>["entries"];
type Kind = Entries[number]["kind"];

const labels: Record<Kind, string> = {
  note: "Runner",
  said: "Said",
  ran: "Ran",
  edited: "Edited",
  output: "Output",
  refused: "Refused",
};
/** How close to the end a reader must be for the log to scroll along, in pixels. */
const followPx = 40;

/**
 * The log of a run. Only new entries are fetched, and the last known one again: it is missing if the log was erased.
 */
function useLog(runId: string) {
  const queryClient = useQueryClient();
  const params = { runId };
  const queryKey = keyOf(readRunLog, { params });
  return useQuery(
    queryOptions({
      queryKey,
      queryFn: async (): Promise<Entries> => {
        const entries = [...(queryClient.getQueryData<Entries>(queryKey) ?? [])];
        while (true) {
          const last = entries.at(-1)?.offset;
          const page = await call(readRunLog, { params, query: { after: String(last ?? 0) } });
          if (last !== undefined && page.entries[0]?.offset !== last) entries.length = 0;
          const further = page.entries.filter(({ offset }) => offset !== last);
          if (further.length === 0) return entries;
          entries.push(...further);
        }
      },
      staleTime: staleTimeWhileLive,
    }),
  );
}

/** The log of a run. While the run works and the reader is at the end, it scrolls along. */
export function RunLog({ runId, isLive }: { runId: string; isLive: boolean }) {
  const log = useLog(runId);
  const box = useRef<HTMLElement>(null);
  const follows = useRef(true);
  const count = log.data?.length ?? 0;
  useEffect(() => {
    if (count > 0 && follows.current && isLive) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [count, isLive]);
  if (log.isError && !log.data) return <LoadError error={log.error} retry={() => void log.refetch()} />;
  if (!log.data) return <Skeleton className="h-24" />;
  return (
    <section
      ref={box}
      aria-label="Log of the run"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        follows.current = scrollHeight - scrollTop - clientHeight < followPx;
      }}
      className="max-h-96 overflow-auto rounded-md border border-line bg-sunken py-2"
    >
      <ol className="font-mono text-xs leading-5 text-ink">
        {log.data.map(({ offset, kind, text }) => (
          <li key={offset} className="flex gap-2 px-3 [content-visibility:auto]">
            <span className={`w-16 shrink-0 font-sans ${kind === "refused" ? "text-danger-ink" : "text-muted"}`}>
              {labels[kind]}
            </span>
            <span className="min-w-0 flex-1 wrap-anywhere whitespace-pre-wrap">{text.replace(/\n$/, "")}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}
