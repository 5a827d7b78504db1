import { createApp } from "@lodge/contract/calls.generated";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { NameDialog } from "../../ui/name-dialog.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { formatDay, Time } from "../../ui/time.tsx";
import { appsQuery } from "./app-queries.ts";

/** The apps of the organisation. */
export function AppsPage() {
  const { organisation } = useSession();
  const apps = useQuery(appsQuery);
  const [creating, setCreating] = useState(false);
  const navigate = useNavigate();
  const manages = organisation.role !== "member";
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 md:px-8">
      <PageHeading title="Apps" hint="An app sends reports with an SDK key: crashes, errors and feedback.">
        {manages && (
          <Button look="primary" onClick={() => setCreating(true)}>
            <Plus aria-hidden className="size-4" />
            New app
          </Button>
        )}
      </PageHeading>
      {apps.data?.suspendedSince && (
        <p role="status" className="mb-4 rounded-md bg-danger-soft px-3 py-2 text-danger-ink">
          All reports have been refused since {formatDay(apps.data.suspendedSince)}: the organisation has more active
          installs than its limit.
        </p>
      )}
      {apps.isPending && (
        <div aria-busy>
          <p className="sr-only">Loading the apps</p>
          <Skeleton className="h-28" />
        </div>
      )}
      {apps.isError && !apps.data && <LoadError error={apps.error} retry={() => void apps.refetch()} />}
      {apps.data?.apps.length === 0 && (
        <Empty title="No apps yet">
          {manages
            ? "Create one to get an SDK key and a command that sends the first report."
            : "Ask an owner or admin of the organisation to create the first one."}
        </Empty>
      )}
      {apps.data && apps.data.apps.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {apps.data.apps.map((app) => (
            <li key={app.id} className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover">
              <span className="min-w-0 flex-1 basis-40">
                <Link
                  to="/apps/$appId"
                  params={{ appId: app.id }}
                  className="font-medium wrap-anywhere after:absolute after:inset-0"
                >
                  {app.name}
                </Link>
                {!app.enabled && (
                  <span className="ml-2 rounded-sm bg-warn-soft px-1.5 text-xs font-medium text-warn-ink">
                    Disabled
                  </span>
                )}
                <span className="block text-sm text-muted">
                  {app.keyCount === 1 ? "1 SDK key" : `${app.keyCount} SDK keys`}
                </span>
              </span>
              {app.refusedCount > 0 && (
                <span className="rounded-sm bg-warn-soft px-1.5 text-sm text-warn-ink">
                  {formatCount(app.refusedCount)} refused in 7 days
                </span>
              )}
              <span className="w-32 text-sm text-muted sm:text-right">
                {app.lastReceivedAt ? (
                  <>
                    <span className="sm:sr-only">Last report </span>
                    <Time at={app.lastReceivedAt} />
                  </>
                ) : (
                  "No reports yet"
                )}
              </span>
            </li>
          ))}
        </ul>
      )}
      {creating && (
        <NameDialog
          title="New app"
          submit="Create app"
          act={async (name) => {
            const { id: appId } = await call(createApp, { body: { name } });
            await fetchAfter({ kind: "apps.changed" });
            await navigate({ to: "/apps/$appId", params: { appId } });
          }}
          close={() => setCreating(false)}
        >
          <p className="text-sm text-muted">
            Create one app for each application that you ship, such as “iOS” or “Web shop”. Each app has its own inbox.
          </p>
        </NameDialog>
      )}
    </main>
  );
}
