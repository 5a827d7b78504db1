import type { SubscriberDetails } from "@lodge/contract/dashboard/subscribers";
import { formatCount, many } from "../../ui/numbers.ts";
import { Day } from "../../ui/time.tsx";

type Health = SubscriberDetails["health"];

/** The successful and failed attempts of the last days, as bars and as a table. */
export function HealthChart({ health }: { health: Health }) {
  const most = Math.max(1, ...health.map(({ deliveredCount, failedCount }) => deliveredCount + failedCount));
  const sum = (field: "deliveredCount" | "failedCount") => health.reduce((total, day) => total + day[field], 0);
  const inWords = `${many(sum("deliveredCount"), "attempt")} succeeded and ${formatCount(sum("failedCount"))} failed in the last ${health.length} days`;
  return (
    <figure>
      <div role="img" aria-label={inWords} className="flex h-24 items-end gap-1 border-b border-line">
        {health.map(({ day, deliveredCount, failedCount, meanMs }) => (
          <div
            key={day}
            title={`${day}: ${formatCount(deliveredCount)} succeeded, ${formatCount(failedCount)} failed${meanMs === null ? "" : `, ${meanMs} ms on average`}`}
            className="flex h-full flex-1 flex-col justify-end hover:bg-hover"
          >
            <div className="bg-danger" style={{ height: `${(failedCount / most) * 100}%` }} />
            <div className="bg-accent" style={{ height: `${(deliveredCount / most) * 100}%` }} />
          </div>
        ))}
      </div>
      <figcaption className="mt-1 text-xs text-muted">{inWords}</figcaption>
      <details className="mt-2 text-sm">
        <summary className="w-fit cursor-pointer text-muted">Day by day</summary>
        <table className="mt-2 w-full max-w-md text-left tabular-nums">
          <thead className="text-xs text-muted">
            <tr>
              <th className="py-1 font-medium">Day (UTC)</th>
              <th className="py-1 text-right font-medium">Succeeded</th>
              <th className="py-1 text-right font-medium">Failed</th>
              <th className="py-1 text-right font-medium">Average duration</th>
            </tr>
          </thead>
          <tbody>
            {health.toReversed().map(({ day, deliveredCount, failedCount, meanMs }) => (
              <tr key={day} className="border-t border-line">
                <th className="py-1 font-normal">
                  <Day date={day} />
                </th>
                <td className="py-1 text-right">{formatCount(deliveredCount)}</td>
                <td className="py-1 text-right">{formatCount(failedCount)}</td>
                <td className="py-1 text-right">{meanMs === null ? "–" : `${formatCount(meanMs)} ms`}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
