import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { Tag } from "lucide-react";
import { isRefused } from "../../api/call.ts";
import { buttonClass } from "../../ui/button.tsx";
import { MoreButton } from "../../ui/more-button.tsx";
import { NotFound } from "../../ui/not-found.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Bars } from "./bars.tsx";
import { EraseButton } from "./erase-dialog.tsx";
import { InboxFilters } from "./inbox-filters.tsx";
import { InboxList } from "./inbox-list.tsx";
import { histogramQuery, inboxesQuery, inboxQuery } from "./report-queries.ts";
import { ReportsPath } from "./reports-path.tsx";

/** The inbox of an app: its problems and the reports without a problem, updated live. */
export function InboxPage() {
  const { appId } = useParams({ from: "/signed-in/reports/$appId" });
  const search = useSearch({ from: "/signed-in/reports/$appId" });
  const inboxes = useQuery(inboxesQuery);
  const inbox = useInfiniteQuery({ ...inboxQuery(appId, search), placeholderData: keepPreviousData });
  const histogram = useQuery({ ...histogramQuery(appId, search), placeholderData: keepPreviousData });
  const here = inboxes.data?.inboxes.find(({ app }) => app.id === appId);
  if (isRefused(inbox.error, "app_not_found")) return <NotFound what="app" />;
  if (inboxes.isError && !inboxes.data) {
    return <LoadError error={inboxes.error} retry={() => void inboxes.refetch()} />;
  }
  if (!here) return <InboxSkeleton />;
  const entries = inbox.data?.pages.flatMap((page) => page.entries);
  const isFiltered = Object.keys(search).some((name) => name !== "order");
  return (
    <main key={appId} className="mx-auto max-w-6xl px-4 py-6 md:px-8">
      <ReportsPath />
      <PageHeading
        title={here.app.name}
        {...(here.waitingCount > 0 && {
          hint: `Still being processed: ${formatCount(here.waitingCount)}.`,
        })}
      >
        {histogram.data && <Bars histogram={histogram.data} className="w-72 max-w-full" />}
        <Link to="/reports/$appId/releases" params={{ appId }} className={buttonClass()}>
          <Tag aria-hidden className="size-4" />
          Releases
        </Link>
        <EraseButton />
      </PageHeading>
      <InboxFilters appId={appId} search={search} />
      <div className="mt-4">
        {inbox.isError && !inbox.data && <LoadError error={inbox.error} retry={() => void inbox.refetch()} />}
        {inbox.isPending && <Skeleton className="h-64" />}
        {entries && entries.length > 0 && <InboxList entries={entries} />}
        {entries?.length === 0 && isFiltered && (
          <Empty title="No results">Clear the filter, or choose another state.</Empty>
        )}
        {entries?.length === 0 && !isFiltered && (
          <Empty title="No open problems or reports">
            New reports appear here as they arrive. Choose another state to see resolved and muted problems.
          </Empty>
        )}
        <MoreButton pages={inbox} className="mt-3">
          Show more
        </MoreButton>
      </div>
    </main>
  );
}

function InboxSkeleton() {
  return (
    <div aria-busy className="mx-auto flex max-w-6xl flex-col gap-4 px-4 py-6 md:px-8">
      <p className="sr-only">Loading the inbox</p>
      <Skeleton className="h-7 w-48" />
      <Skeleton className="h-8" />
      <Skeleton className="h-64" />
    </div>
  );
}
