import type { App } from "@lodge/contract/dashboard/apps";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { isRefused } from "../../api/call.ts";
import { useSession } from "../../session/use-session.ts";
import { buttonClass } from "../../ui/button.tsx";
import { NotFound } from "../../ui/not-found.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { AppKeys } from "./app-keys.tsx";
import { appQuery } from "./app-queries.ts";
import { AppSettings } from "./app-settings.tsx";
import { DeleteApp } from "./delete-app.tsx";
import { Refusals } from "./refusals.tsx";
import { RegroupProblems } from "./regrouping.tsx";
import { SendReport } from "./send-report.tsx";
import { SentryDsn } from "./sentry-dsn.tsx";
import { SourceMaps } from "./source-maps.tsx";

/** The page of an app: its first report, SDK keys, refused reports and settings. */
export function AppPage() {
  const { appId } = useParams({ from: "/signed-in/apps/$appId" });
  const app = useQuery(appQuery(appId));
  if (isRefused(app.error, "app_not_found")) return <NotFound what="app" />;
  if (app.data) return <AppView key={appId} app={app.data} />;
  if (app.isError) return <LoadError error={app.error} retry={() => void app.refetch()} />;
  return (
    <div aria-busy className="mx-auto flex max-w-3xl flex-col gap-4 px-4 py-8 md:px-8">
      <p className="sr-only">Loading the app</p>
      <Skeleton className="h-8 w-40" />
      <Skeleton className="h-40" />
      <Skeleton className="h-28" />
    </div>
  );
}

function AppView({ app }: { app: App }) {
  const { organisation } = useSession();
  const manages = organisation.role !== "member";
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 md:px-8">
      <PageHeading
        title={app.name}
        hint={
          <>
            <Link to="/apps" className="text-accent-ink underline underline-offset-2">
              Apps
            </Link>{" "}
            · slug: <code className="font-mono text-xs">{app.slug}</code>
          </>
        }
      >
        <Link to="/reports/$appId" params={{ appId: app.id }} className={buttonClass()}>
          View reports
        </Link>
      </PageHeading>
      <div className="flex flex-col gap-6">
        <SendReport app={app} />
        <SentryDsn app={app} />
        <AppKeys app={app} manages={manages} />
        <Refusals appId={app.id} />
        <SourceMaps appId={app.id} />
        {manages && <RegroupProblems appId={app.id} />}
        {manages && <AppSettings app={app} />}
        {manages && <DeleteApp app={app} />}
      </div>
    </main>
  );
}
