import { makeProblemCard } from "@lodge/contract/calls.generated";
import type { ProblemDetails } from "@lodge/contract/dashboard/inbox";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Merge } from "lucide-react";
import { useRef, useState } from "react";
import { call, isRefused } from "../../api/call.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { MoreButton } from "../../ui/more-button.tsx";
import { NotFound } from "../../ui/not-found.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { formatCount, formatUserCount } from "../../ui/numbers.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Part } from "../../ui/part.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { useListKeys } from "../../ui/use-list-keys.ts";
import { KindMark, kindLabels } from "../report-kind.tsx";
import { Attachments } from "./attachments.tsx";
import { Bars } from "./bars.tsx";
import { Cards } from "./cards.tsx";
import { Facts } from "./facts.tsx";
import { MakeCard } from "./make-card.tsx";
import { MergeDialog } from "./merge-dialog.tsx";
import { ProblemActions } from "./problem-actions.tsx";
import { ProblemAssignee } from "./problem-assignee.tsx";
import { ProblemState } from "./problem-state.tsx";
import { eventQuery, problemEventsQuery, problemQuery } from "./report-queries.ts";
import { ReportsPath } from "./reports-path.tsx";
import { VersionBars } from "./version-bars.tsx";
import { WhyHere } from "./why-here.tsx";

/** The page of a problem: how often, where and since when it occurs, and why its reports are grouped. */
export function ProblemPage() {
  const { problemId } = useParams({ from: "/signed-in/problems/$problemId" });
  const problem = useQuery(problemQuery(problemId));
  if (isRefused(problem.error, "problem_not_found")) return <NotFound what="problem" />;
  if (problem.data) return <ProblemView key={problemId} problem={problem.data} />;
  if (problem.isError) return <LoadError error={problem.error} retry={() => void problem.refetch()} />;
  return (
    <div aria-busy className="mx-auto flex max-w-6xl flex-col gap-4 px-4 py-6 md:px-8">
      <p className="sr-only">Loading the problem</p>
      <Skeleton className="h-7 w-2/3" />
      <Skeleton className="h-48" />
    </div>
  );
}

function ProblemView({ problem }: { problem: ProblemDetails }) {
  const { app, title, kind, culprit, eventCount, histogram, cards, firstVersion, lastVersion } = problem;
  const [merging, setMerging] = useState(false);
  return (
    <main className="mx-auto max-w-6xl px-4 py-6 md:px-8">
      <ReportsPath app={app} />
      <PageHeading
        title={title}
        hint={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <span className="inline-flex items-center gap-1.5">
              <KindMark kind={kind} />
              {kindLabels[kind]}
            </span>
            <ProblemState problem={problem} />
            {culprit !== null && <span className="font-mono text-xs wrap-anywhere">{culprit}</span>}
            <ProblemAssignee problem={problem} />
          </span>
        }
      >
        <Link to="/events/$eventId" params={{ eventId: problem.lastEventId }} className={buttonClass()}>
          Latest report
        </Link>
        <Button onClick={() => setMerging(true)}>
          <Merge aria-hidden className="size-4" />
          Merge
        </Button>
        <ProblemActions problem={problem} />
        <MakeCard
          make={(columnId) => call(makeProblemCard, { params: { problemId: problem.id }, body: { columnId } })}
        />
      </PageHeading>
      {merging && <MergeDialog problem={problem} close={() => setMerging(false)} />}
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <div className="flex flex-wrap items-end gap-x-8 gap-y-3 rounded-lg border border-line bg-surface p-4">
            <Figure count={formatCount(eventCount)} what={eventCount === 1 ? "report" : "reports"} />
            <Figure count={formatUserCount(problem)} what={problem.userCount === 1 ? "user" : "users"} />
            <Bars histogram={histogram} className="min-w-60 flex-1" />
          </div>
          <VersionBars versions={problem.versions} />
          <Cards cards={cards} />
          <Occurrences problemId={problem.id} />
          <LatestAttachments eventId={problem.lastEventId} />
          <WhyHere problem={problem} />
        </div>
        <aside aria-label="About this problem" className="flex min-w-0 flex-col gap-5">
          <Facts
            title="Seen"
            facts={{
              first: <ExactTime at={problem.firstSeenAt} />,
              last: <ExactTime at={problem.lastSeenAt} />,
              ...(firstVersion !== null && { "first version": firstVersion }),
              ...(lastVersion !== null && { "last version": lastVersion }),
              ...(problem.droppedEventCount > 0 && {
                "reports already deleted": formatCount(problem.droppedEventCount),
              }),
            }}
          />
          <Shares title="Versions" counts={problem.versions} of={eventCount} />
          <Shares title="Environments" counts={problem.environments} of={eventCount} />
          <Shares title="Browsers" counts={problem.browsers} of={eventCount} />
          <Shares title="Operating systems" counts={problem.operatingSystems} of={eventCount} />
          <Shares title="Tags" counts={problem.tags} of={eventCount} />
        </aside>
      </div>
    </main>
  );
}

const Figure = ({ count, what }: { count: string; what: string }) => (
  <p>
    <span className="block text-xl font-semibold tabular-nums">{count}</span>
    <span className="text-sm text-muted">{what}</span>
  </p>
);

/** The images and text attachments of the latest report. */
function LatestAttachments({ eventId }: { eventId: string }) {
  const { data: event } = useQuery(eventQuery(eventId));
  if (!event || event.attachments.length === 0) return null;
  return (
    <Part title="Attachments of the latest report">
      <Attachments attachments={event.attachments} />
    </Part>
  );
}

const sharesShown = 10;

function Shares({ title, counts, of }: { title: string; counts: ProblemDetails["versions"]; of: number }) {
  if (counts.length === 0) return null;
  return (
    <Part title={title}>
      <ul className="flex flex-col gap-1 text-sm">
        {counts.slice(0, sharesShown).map(({ value, eventCount }) => (
          <li key={value} className="relative flex justify-between gap-2 px-1.5 py-0.5">
            <span
              aria-hidden
              className="absolute inset-y-0 left-0 rounded-sm bg-hover"
              style={{ width: `${Math.min(100, (eventCount / Math.max(of, 1)) * 100)}%` }}
            />
            <span className="relative min-w-0 truncate" title={value}>
              {value}
            </span>
            <span className="relative shrink-0 tabular-nums">{formatCount(eventCount)}</span>
          </li>
        ))}
      </ul>
      {counts.length > sharesShown && (
        <p className="mt-1 text-xs text-muted">and {formatCount(counts.length - sharesShown)} more</p>
      )}
    </Part>
  );
}

function Occurrences({ problemId }: { problemId: string }) {
  const events = useInfiniteQuery(problemEventsQuery(problemId));
  const list = useRef<HTMLUListElement>(null);
  useListKeys(list);
  const all = events.data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <Part title="Reports">
      {events.isPending && <Skeleton className="h-32" />}
      {events.isError && !events.data && <LoadError error={events.error} retry={() => void events.refetch()} />}
      {all.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul ref={list} role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {all.map(({ id, title, user, version, environment, receivedAt }) => (
            <li key={id} className="relative flex flex-wrap items-center gap-x-3 px-3 py-2 hover:bg-hover">
              <Link
                to="/events/$eventId"
                params={{ eventId: id }}
                className="line-clamp-1 min-w-40 flex-1 wrap-anywhere after:absolute after:inset-0"
              >
                {title}
              </Link>
              <span className="flex max-w-full flex-wrap gap-x-3 text-sm text-muted wrap-anywhere">
                {[user, environment, version].filter(Boolean).map((fact, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be equal
                  <span key={index} className="max-w-48 truncate">
                    {fact}
                  </span>
                ))}
                <Time at={receivedAt} />
              </span>
            </li>
          ))}
        </ul>
      )}
      <MoreButton pages={events} small look="quiet" className="mt-2">
        Show earlier reports
      </MoreButton>
    </Part>
  );
}
