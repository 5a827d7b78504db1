import type { EventDetails } from "@lodge/contract/dashboard/inbox";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { LongText } from "../../ui/long-text.tsx";
import { ValueTree } from "./value-tree.tsx";

type Breadcrumb = EventDetails["breadcrumbs"][number];

const latest = 15;
const clock = new Intl.DateTimeFormat(undefined, {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  fractionalSecondDigits: 3,
});

/** The breadcrumbs of an event as a timeline: the latest ones, and earlier ones on request. */
export function Breadcrumbs({ breadcrumbs }: { breadcrumbs: Breadcrumb[] }) {
  const [all, setAll] = useState(false);
  const hidden = all ? 0 : Math.max(0, breadcrumbs.length - latest);
  return (
    <>
      {hidden > 0 && (
        <Button small look="quiet" className="mb-1" onClick={() => setAll(true)}>
          Show {hidden} earlier
        </Button>
      )}
      <ol className="border-l border-line">
        {breadcrumbs.slice(hidden).map((breadcrumb, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they have no other key
          <OneBreadcrumb key={hidden + index} breadcrumb={breadcrumb} />
        ))}
      </ol>
    </>
  );
}

const isGrave = (level: string | null) => level !== null && /^(?:error|fatal|critical)$/i.test(level);

function OneBreadcrumb({ breadcrumb }: { breadcrumb: Breadcrumb }) {
  const { at, category, message, level, data } = breadcrumb;
  const date = new Date(at);
  return (
    <li className="relative py-1.5 pl-4 before:absolute before:top-3.5 before:-left-1 before:size-2 before:rounded-full before:bg-line-strong">
      <p className="flex flex-wrap items-baseline gap-x-2 text-xs text-muted">
        <time dateTime={at} title={at} className="font-mono">
          {Number.isNaN(date.getTime()) ? at : clock.format(date)}
        </time>
        <span className="wrap-anywhere">{category}</span>
        {level !== null && (
          <span className={`wrap-anywhere ${isGrave(level) ? "font-medium text-danger-ink" : ""}`}>{level}</span>
        )}
      </p>
      <LongText text={message} />
      {data !== null && <ValueTree value={data} />}
    </li>
  );
}
