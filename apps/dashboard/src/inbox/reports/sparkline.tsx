import type { Histogram } from "@lodge/contract/dashboard/inbox";
import { many } from "../../ui/numbers.ts";

const width = 72;
const height = 24;

/** The number of events of a problem per day, as a line. */
export function Sparkline({ histogram: { buckets } }: { histogram: Histogram }) {
  const most = Math.max(1, ...buckets.map(({ eventCount }) => eventCount));
  const sum = buckets.reduce((total, { eventCount }) => total + eventCount, 0);
  const step = width / Math.max(1, buckets.length - 1);
  const points = buckets.map(
    ({ eventCount }, index) =>
      `${(index * step).toFixed(1)},${(height - 1 - (eventCount / most) * (height - 2)).toFixed(1)}`,
  );
  return (
    <svg
      role="img"
      aria-label={`${many(sum, "report")} in the last ${buckets.length} days`}
      viewBox={`0 0 ${width} ${height}`}
      className="h-6 w-12 shrink-0 text-accent sm:w-18"
      preserveAspectRatio="none"
    >
      <polyline points={points.join(" ")} fill="none" stroke="currentColor" strokeWidth={1.5} strokeLinejoin="round" />
    </svg>
  );
}
