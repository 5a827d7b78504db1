import type { Usage } from "@lodge/contract/dashboard/usage";
import { BarChart, barMark, lineMark } from "../../ui/bar-chart.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { monthBelowBar, monthInWords } from "./month-words.ts";

const countsLabels = {
  within: "within its limit",
  over: "over its limit",
  forgiven: "over, not counted because of an upgrade",
  struck_out: "over, excluded",
};
const barClass = { within: "bg-accent", over: "bg-danger", forgiven: "bg-line-strong", struck_out: "bg-line-strong" };

/** The active installs of each month as bars, with the limit as a line, and as a table. */
export function Months({ months }: { months: Usage["months"] }) {
  const over = months.filter(({ counts }) => counts === "over").map(({ month }) => monthInWords(month));
  return (
    <BarChart
      label={`Active installs by month. ${over.length === 0 ? "No month counts as over its limit." : `Over their limit: ${over.join(", ")}.`} The table below has the numbers.`}
      columns={months.map(({ month, installs, limit, counts }) => ({
        key: month,
        title: `${monthInWords(month)}: ${formatCount(installs)}`,
        bars: [{ value: installs, className: barClass[counts] }],
        line: limit,
      }))}
      axis={months.map(({ month }) => (
        <span key={month} className="flex-1">
          <span className="sm:hidden">{monthBelowBar(month).slice(0, 1)}</span>
          <span className="max-sm:hidden">{monthBelowBar(month)}</span>
        </span>
      ))}
      legend={{
        "Within the limit": barMark("bg-accent"),
        "Over the limit": barMark("bg-danger"),
        "Over the limit, but not counted": barMark("bg-line-strong"),
        "Limit of the month": lineMark,
      }}
    >
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
              Status
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
    </BarChart>
  );
}
