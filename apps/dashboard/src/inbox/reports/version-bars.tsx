import type { ProblemDetails } from "@lodge/contract/dashboard/inbox";
import { formatCount } from "../../ui/numbers.ts";
import { Part } from "../../ui/part.tsx";

const shownMax = 20;

/** The number of reports of a problem by version, in the order of each version's first report. */
export function VersionBars({ versions }: { versions: ProblemDetails["versions"] }) {
  if (versions.length < 2) return null;
  const shown = [...versions].sort((a, b) => (a.firstSeenAt < b.firstSeenAt ? -1 : 1)).slice(-shownMax);
  const most = Math.max(1, ...shown.map(({ eventCount }) => eventCount));
  return (
    <Part title="Reports by version">
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ol role="list" className="flex items-end gap-1 overflow-x-auto rounded-lg border border-line bg-surface p-4">
        {shown.map(({ value, eventCount }) => (
          <li key={value} className="flex min-w-10 max-w-24 flex-1 flex-col items-center gap-1 text-xs">
            <span className="tabular-nums">
              {formatCount(eventCount)}
              <span className="sr-only"> {eventCount === 1 ? "report" : "reports"} in</span>
            </span>
            <span aria-hidden className="flex h-24 w-full items-end justify-center">
              <span
                className="min-h-0.5 w-full max-w-10 rounded-t-sm bg-accent"
                style={{ height: `${(eventCount / most) * 100}%` }}
              />
            </span>
            <span className="w-full truncate text-center text-muted" title={value}>
              {value}
            </span>
          </li>
        ))}
      </ol>
    </Part>
  );
}
