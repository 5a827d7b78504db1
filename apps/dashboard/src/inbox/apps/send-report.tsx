import type { App } from "@lodge/contract/dashboard/apps";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleCheck } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Copyable } from "../../ui/copyable.tsx";
import { reportCurl } from "../../ui/curl.ts";
import { Disclosure } from "../../ui/disclosure.tsx";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { refusalsQuery, sdkIntegrityQuery } from "./app-queries.ts";

const guides = [
  { name: "sdk", label: "Lodge SDK" },
  { name: "sentry", label: "Sentry SDKs" },
  { name: "ingestion", label: "Without an SDK" },
];

/** How to send a report of an app, from a terminal and with the SDK. Shows the first report as soon as it arrives. */
export function SendReport({ app }: { app: App }) {
  const [before] = useState(app.lastReceivedAt); // as of when the page was opened
  const [key] = app.keys;
  const { ingestUrl, lastReceivedAt } = app;
  if (!key) {
    return (
      <Section title="Send a report">
        <p className="text-muted">There is no active SDK key. Create one below.</p>
      </Section>
    );
  }
  const ofApp = new URLSearchParams({ key: key.key, app: String(app.number) });
  const how = (
    <div className="flex flex-col gap-4">
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        <span className="text-muted">Guides with this key filled in:</span>
        {guides.map(({ name, label }) => (
          <a
            key={name}
            href={`/docs/guides/${name}?${ofApp}`}
            target="_blank"
            rel="noreferrer"
            className="text-accent-ink underline underline-offset-2"
          >
            {label}
          </a>
        ))}
      </p>
      <Copyable title="From a terminal" text={reportCurl(ingestUrl, key.key)} />
      <Copyable title="With the SDK" text={snippetOf(ingestUrl.replace(/\/api\/ingest$/, ""), key.key)} />
      <ScriptElement ingestUrl={ingestUrl.replace(/\/api\/ingest$/, "")} sdkKey={key.key} />
    </div>
  );
  if (before === null) {
    return (
      <Section title="Send your first report">
        <div role="status">
          {lastReceivedAt === null ? (
            <Waiting appId={app.id} />
          ) : (
            <Arrived appId={app.id}>
              Your first report arrived <Time at={lastReceivedAt} />.
            </Arrived>
          )}
        </div>
        {how}
      </Section>
    );
  }
  return (
    <Section title="Send a report">
      <div role="status">
        {lastReceivedAt === before ? (
          <p className="text-muted">
            Latest report: <Time at={before} />.
          </p>
        ) : (
          <Arrived appId={app.id}>A report has arrived.</Arrived>
        )}
      </div>
      <Disclosure summary={<span className="text-sm text-muted">Show how</span>}>
        <div className="mt-3">{how}</div>
      </Disclosure>
    </Section>
  );
}

/** The SDK for pages without a build step, with the `integrity` value of the script that this server serves. */
function ScriptElement({ ingestUrl, sdkKey }: { ingestUrl: string; sdkKey: string }) {
  const { data } = useQuery(sdkIntegrityQuery);
  const integrity = data?.["lodge.iife.js"];
  if (!integrity) return null;
  const text = `<script src="${location.origin}/sdk/lodge.iife.js" integrity="${integrity}" crossorigin="anonymous"></script>
<script>
  const lodge = Lodge.createLodge({ ingestUrl: "${ingestUrl}", key: "${sdkKey}", capture: { errors: true } });
</script>`;
  return <Copyable title="Without a build step" text={text} />;
}

function Waiting({ appId }: { appId: string }) {
  const { data } = useQuery(refusalsQuery(appId));
  const refused = data?.refusals[0];
  return (
    <>
      <p className="flex items-center gap-2 font-medium">
        <span aria-hidden className="relative flex size-2.5">
          <span className="absolute inset-0 rounded-full bg-accent opacity-60 motion-safe:animate-ping" />
          <span className="size-2.5 rounded-full bg-accent" />
        </span>
        Waiting for the first report
      </p>
      {refused && (
        <p className="mt-2 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-ink">
          A report was refused: <code className="font-mono text-xs">{refused.code}</code>. See below for why.
        </p>
      )}
    </>
  );
}

function Arrived({ appId, children }: { appId: string; children: ReactNode }) {
  return (
    <p className="flex flex-wrap items-center gap-x-2 gap-y-1 rounded-md bg-accent-soft px-3 py-2 font-medium text-accent-ink">
      <CircleCheck aria-hidden className="size-4 shrink-0" />
      <span>{children}</span>
      <Link to="/reports/$appId" params={{ appId }} className="underline underline-offset-2">
        View report
      </Link>
    </p>
  );
}

const snippetOf = (ingestUrl: string, key: string) => `// npm install ${location.origin}/sdk/lodge-sdk.tgz
import { createLodge } from "@lodge/sdk";

const lodge = createLodge({
  ingestUrl: "${ingestUrl}",
  key: "${key}",
  capture: { errors: true },
});
await lodge.report({ title: "Hello from the SDK" });`;
