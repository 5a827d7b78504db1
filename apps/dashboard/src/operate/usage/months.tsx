import type { Usage } from "@lodge/contract/dashboard/usage";
import { formatCount } from "../../ui/numbers.ts";
import { monthBelowBar, monthInWords } from "./month-words.ts";

const countsLabels = {
  within: "within its limit",
  over: "over its limit",
  forgiven: "over, cleared by an upgrade",
  struck_out: "over, excluded",
};
const barClass = { within: "bg-accent", over: "bg-danger", forgiven: "bg-line-strong", struck_out: "bg-line-strong" };

/** Active installs of each month as bars, each with its limit as a line; the same as a table with the numbers. */
export function Months({ months }: { months: Usage["months"] }) {
  const top = Math.max(1, ...months.flatMap(({ installs, limit }) => [installs, limit ?? 0])) * 1.05;
  const over = months.filter(({ counts }) => counts === "over").map(({ month }) => monthInWords(month));
  const share = (value: number) => `${(value / top) * 100}%`;
  return (
    <figure>
      <div
        role="img"
        aria-label={`Active installs by month. ${over.length === 0 ? "No month counts as over its limit." : `Over their limit: ${over.join(", ")}.`} The table below has the numbers.`}
        className="flex h-40 items-end gap-1.5 border-b border-line sm:gap-3"
      >
        {months.map(({ month, installs, limit, counts }) => (
          <div
            key={month}
            title={`${monthInWords(month)}: ${formatCount(installs)}`}
            className="relative h-full flex-1"
          >
            <div
              className={`absolute inset-x-0 bottom-0 rounded-t-sm ${installs > 0 ? "min-h-0.5" : ""} ${barClass[counts]}`}
              style={{ height: share(installs) }}
            />
            {limit !== null && (
              <div
                className="absolute inset-x-[-3px] border-t-2 border-dashed border-ink sm:inset-x-[-6px]"
                style={{ bottom: share(limit) }}
              />
            )}
          </div>
        ))}
      </div>
      <div aria-hidden className="flex gap-1.5 text-center text-xs text-muted sm:gap-3">
        {months.map(({ month }) => (
          <span key={month} className="flex-1 pt-1">
            <span className="sm:hidden">{monthBelowBar(month).slice(0, 1)}</span>
            <span className="max-sm:hidden">{monthBelowBar(month)}</span>
          </span>
        ))}
      </div>
      <figcaption className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        <Mark className="h-2.5 w-2.5 rounded-sm bg-accent">Within the limit</Mark>
        <Mark className="h-2.5 w-2.5 rounded-sm bg-danger">Over it</Mark>
        <Mark className="h-2.5 w-2.5 rounded-sm bg-line-strong">Over, but does not count</Mark>
        <Mark className="w-4 border-t-2 border-dashed border-ink">Limit of the month</Mark>
      </figcaption>
      <details className="mt-3 text-sm">
        <summary className="cursor-pointer text-muted">As a table</summary>
        <table className="mt-2 w-full max-w-md text-left">
          <thead className="text-xs text-muted">
            <tr>
              <th scope="col" className="py-1 font-medium">
                Month
              </th>
              <th scope="col" className="py-1 pl-4 text-right font-medium">
                Installs
              </th>
              <th scope="col" className="py-1 pl-4 text-right font-medium">
                Limit
              </th>
              <th scope="col" className="py-1 pl-4 font-medium">
                Counts as
              </th>
            </tr>
          </thead>
          <tbody>
            {months.map(({ month, installs, limit, counts }) => (
              <tr key={month}>
                <th scope="row" className="py-0.5 font-normal">
                  {monthInWords(month)}
                </th>
                <td className="py-0.5 pl-4 text-right tabular-nums">{formatCount(installs)}</td>
                <td className="py-0.5 pl-4 text-right tabular-nums">{limit === null ? "–" : formatCount(limit)}</td>
                <td className="py-0.5 pl-4 text-muted">{limit === null ? "" : countsLabels[counts]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

function Mark({ className, children }: { className: string; children: string }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden className={className} />
      {children}
    </span>
  );
}
