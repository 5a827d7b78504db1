import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Redirect } from "../../ui/redirect.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { EraseButton } from "./erase-dialog.tsx";
import { inboxesQuery, topProblemsQuery } from "./report-queries.ts";
import { TopProblems } from "./top-problems.tsx";

const countedMax = 1_000;

/** The inboxes of all apps. If there is only one app, redirects to its inbox. */
export function ReportsPage() {
  const inboxes = useQuery(inboxesQuery);
  const top = useQuery(topProblemsQuery);
  const [first, ...others] = inboxes.data?.inboxes ?? [];
  if (first && others.length === 0) return <Redirect from="/reports" to={`/reports/${first.app.id}`} />;
  return (
    <main className="mx-auto max-w-6xl px-4 py-8 md:px-8">
      <PageHeading title="Reports" hint="Crashes, errors and feedback from your apps.">
        {first && <EraseButton />}
      </PageHeading>
      {(inboxes.isPending || (first && top.isLoading)) && (
        <div aria-busy>
          <p className="sr-only">Loading the apps</p>
          <Skeleton className="h-28" />
        </div>
      )}
      {inboxes.isError && !inboxes.data && <LoadError error={inboxes.error} retry={() => void inboxes.refetch()} />}
      {inboxes.data && !first && (
        <Empty title="No apps yet">
          Reports from your apps appear here. Owners and admins create apps on the{" "}
          <Link to="/apps" className="text-accent-ink underline underline-offset-2">
            Apps
          </Link>{" "}
          page.
        </Empty>
      )}
      {top.data && first && <TopProblems {...top.data} />}
      {first && !top.isLoading && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" aria-label="Apps" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {[first, ...others].map(({ app, openProblemCount, lastReceivedAt }) => (
            <li key={app.id} className="relative flex flex-wrap items-center gap-x-4 px-4 py-3 hover:bg-hover">
              <Link
                to="/reports/$appId"
                params={{ appId: app.id }}
                className="min-w-0 basis-full font-medium wrap-anywhere after:absolute after:inset-0 sm:flex-1"
              >
                {app.name}
              </Link>
              <span className="text-sm text-muted">
                {openProblemCount === 1
                  ? "1 open problem"
                  : `${formatCount(openProblemCount)}${openProblemCount === countedMax ? "+" : ""} open problems`}
              </span>
              <span className="ml-auto w-28 text-right text-sm text-muted">
                {lastReceivedAt ? <Time at={lastReceivedAt} /> : "No reports yet"}
              </span>
            </li>
          ))}
        </ul>
      )}
    </main>
  );
}
