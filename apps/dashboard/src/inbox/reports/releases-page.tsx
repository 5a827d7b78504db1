import type { ReleaseList } from "@lodge/contract/dashboard/releases";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { isRefused } from "../../api/call.ts";
import { NotFound } from "../../ui/not-found.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { inboxesQuery, releasesQuery } from "./report-queries.ts";
import { ReportsPath } from "./reports-path.tsx";

/** Above this, the number of users is shown as an estimate. */
const exactMax = 100;

/** The versions of an app, with the problems and reports of each. */
export function ReleasesPage() {
  const { appId } = useParams({ from: "/signed-in/reports/$appId/releases" });
  const releases = useQuery(releasesQuery(appId));
  const inboxes = useQuery(inboxesQuery);
  const app = inboxes.data?.inboxes.find((inbox) => inbox.app.id === appId)?.app;
  if (isRefused(releases.error, "app_not_found")) return <NotFound what="app" />;
  return (
    <main className="mx-auto max-w-4xl px-4 py-6 md:px-8">
      <ReportsPath {...(app && { app })} />
      <PageHeading title="Releases" hint="The versions named in reports, newest first." />
      {releases.isPending && <Skeleton className="h-48" />}
      {releases.isError && !releases.data && <LoadError error={releases.error} retry={() => void releases.refetch()} />}
      {releases.data?.releases.length === 0 && (
        <Empty title="No versions yet">
          A version appears here with its first report. To send the version, set `app.version` in the Lodge SDK, or
          `release` in a Sentry SDK.
        </Empty>
      )}
      {releases.data && releases.data.releases.length > 0 && (
        <Releases appId={appId} releases={releases.data.releases} />
      )}
    </main>
  );
}

function Releases({ appId, releases }: { appId: string; releases: ReleaseList["releases"] }) {
  return (
    <div className="overflow-x-auto rounded-lg border border-line bg-surface">
      <table className="w-full text-sm">
        <thead className="text-left text-muted">
          <tr className="border-b border-line [&>th]:px-3 [&>th]:py-2 [&>th]:font-medium">
            <th scope="col">Version</th>
            <th scope="col" className="text-right">
              Reports
            </th>
            <th scope="col" className="text-right">
              Users
            </th>
            <th scope="col" className="text-right">
              New problems
            </th>
            <th scope="col" className="text-right">
              Reopened problems
            </th>
            <th scope="col" className="text-right">
              First seen
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {releases.map((release) => (
            <tr key={release.version} className="hover:bg-hover [&>td]:px-3 [&>td]:py-2 [&>th]:px-3 [&>th]:py-2">
              <th scope="row" className="text-left font-medium wrap-anywhere">
                <Link
                  to="/reports/$appId"
                  params={{ appId }}
                  search={{ version: release.version, state: "any" }}
                  className="text-accent-ink hover:underline"
                >
                  {release.version}
                </Link>
              </th>
              <Figure of={formatCount(release.eventCount)} />
              <Figure of={`${release.userCount > exactMax ? "~" : ""}${formatCount(release.userCount)}`} />
              <Figure of={formatCount(release.newProblemCount)} />
              <Figure of={formatCount(release.backProblemCount)} />
              <td className="text-right whitespace-nowrap text-muted">
                <Time at={release.firstSeenAt} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const Figure = ({ of }: { of: string }) => <td className="text-right tabular-nums">{of}</td>;
