import type { Histogram } from "@lodge/contract/dashboard/inbox";
import { formatCount, many } from "../../ui/numbers.ts";

const hourSeconds = 3_600;
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });
const hour = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "numeric", minute: "2-digit" });

/** The number of events over time, as bars. Their accessible name has the total. */
export function Bars({ histogram, className = "" }: { histogram: Histogram; className?: string }) {
  const { buckets, bucketSeconds } = histogram;
  const format = bucketSeconds >= 24 * hourSeconds ? day : hour;
  const most = Math.max(1, ...buckets.map(({ eventCount }) => eventCount));
  const sum = buckets.reduce((total, { eventCount }) => total + eventCount, 0);
  const days = Math.round((buckets.length * bucketSeconds) / (24 * hourSeconds));
  const span = days === 1 ? "the last 24 hours" : `the last ${days} days`;
  const hours = bucketSeconds / hourSeconds;
  const per = hours === 1 ? "per hour" : hours === 24 ? "per day" : `per ${hours} hours`;
  return (
    <figure className={className}>
      <div
        role="img"
        aria-label={`${many(sum, "report")} in ${span}, at most ${formatCount(most)} ${per}`}
        className="flex h-12 items-end gap-px border-b border-line"
      >
        {buckets.map(({ at, eventCount }) => (
          <div
            key={at}
            title={`${format.format(new Date(at))}: ${formatCount(eventCount)}`}
            className="flex h-full min-w-px flex-1 items-end hover:bg-hover"
          >
            <div
              className={`w-full rounded-t-[1px] ${eventCount > 0 ? "min-h-0.5 bg-accent" : ""}`}
              style={{ height: `${(eventCount / most) * 100}%` }}
            />
          </div>
        ))}
      </div>
      <figcaption aria-hidden className="mt-1 text-xs text-muted">
        {formatCount(sum)} in {span}
      </figcaption>
    </figure>
  );
}
