import { listRuns } from "@lodge/contract/calls.generated";
import type { ListedRun } from "@lodge/contract/dashboard/runs";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { GitPullRequest } from "lucide-react";
import { call } from "../../api/call.ts";
import { keyOf, staleTimeWhileLive } from "../../api/query.ts";
import { MoreButton } from "../../ui/more-button.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { isWebAddress } from "../../ui/web-address.ts";
import { Credits } from "./credits.tsx";
import { costInWords, runInWords, stateLabels } from "./run-words.ts";
import { Runners } from "./runners.tsx";

/** All runs of the organisation's agent, latest first, with credits and runners. */
export function RunsPage() {
  const runs = useInfiniteQuery({
    queryKey: keyOf(listRuns, { query: {} }),
    queryFn: ({ pageParam }) => call(listRuns, { query: { ...(pageParam && { cursor: pageParam }) } }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: staleTimeWhileLive,
  });
  const all = runs.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 md:px-8">
      <PageHeading
        title="Agent"
        hint="Assign a card to the agent to start a run. The agent opens a pull request with its changes."
      />
      <Credits />
      <Runners />
      <h2 className="mt-8 mb-3 text-md font-semibold">Runs</h2>
      {runs.isPending && <Skeleton className="h-28" />}
      {runs.isError && !runs.data && <LoadError error={runs.error} retry={() => void runs.refetch()} />}
      {runs.data && all.length === 0 && (
        <Empty title="No runs yet">Assign a card to the agent, and one of your runners starts working on it.</Empty>
      )}
      {all.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {all.map((run) => (
            <RunRow key={run.id} run={run} />
          ))}
        </ul>
      )}
      <MoreButton pages={runs} className="mt-4">
        Show earlier runs
      </MoreButton>
    </main>
  );
}

const stateClass: Partial<Record<ListedRun["state"], string>> = {
  held: "bg-warn-soft text-warn-ink",
  awaiting_input: "bg-warn-soft text-warn-ink",
  failed: "bg-danger-soft text-danger-ink",
  succeeded: "bg-accent-soft text-accent-ink",
};

function RunRow({ run }: { run: ListedRun }) {
  const { ticket } = run;
  const cost = costInWords(run);
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2.5">
      <div className="min-w-0 flex-1 basis-60">
        <Link
          to="/tickets/$ticketId"
          params={{ ticketId: ticket.id }}
          className="font-medium wrap-anywhere hover:underline"
        >
          {ticket.number && <span className="text-muted">{ticket.number} </span>}
          {ticket.title}
        </Link>
        <p className="text-sm text-muted">
          {runInWords(run)} · <Time at={run.changedAt} />
          {run.runner && ` · ${run.runner}`}
          {run.repository && ` · ${run.repository}`}
          {cost && ` · ${cost}`}
        </p>
      </div>
      {run.pullRequestUrl && isWebAddress(run.pullRequestUrl) && (
        <a
          href={run.pullRequestUrl}
          rel="noreferrer"
          target="_blank"
          className="inline-flex items-center gap-1 text-sm text-accent-ink underline underline-offset-2"
        >
          <GitPullRequest aria-hidden className="size-3.5" />
          Pull request<span className="sr-only"> for {ticket.title}</span>
        </a>
      )}
      <span
        className={`rounded-full px-2 py-0.5 text-xs font-medium ${stateClass[run.state] ?? "bg-sunken text-muted"}`}
      >
        {stateLabels[run.state]}
      </span>
    </li>
  );
}
