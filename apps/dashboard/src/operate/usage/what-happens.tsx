import type { Usage } from "@lodge/contract/dashboard/usage";
import { formatCount } from "../../ui/numbers.ts";
import { Day } from "../../ui/time.tsx";
import { monthAfter, monthInWords } from "./month-words.ts";

const thisMonthOf = ({ months }: Usage) => months.at(-1)?.month ?? "";

/** Why ingestion is suspended, and the two ways to end the suspension. */
export function Suspension({ usage }: { usage: Usage }) {
  const { suspension, months } = usage;
  if (!suspension) return null;
  const { since, endsOn } = suspension;
  const judged = monthAfter(endsOn.slice(0, 7), -1);
  const reasons = months.filter(({ month, counts }) => counts === "over" && month <= judged).slice(-3);
  return (
    <section aria-label="Suspension" className="rounded-lg border border-danger bg-danger-soft p-4 text-danger-ink">
      <h2 className="text-md font-semibold">
        All reports have been refused since <Day date={since} />
      </h2>
      <p className="mt-1">
        The organisation was over its limit of active installs in{" "}
        {new Intl.ListFormat(undefined).format(
          reasons.map(
            ({ month, installs, limit }) =>
              `${monthInWords(month)} (${formatCount(installs)} of ${formatCount(limit ?? 0)})`,
          ),
        )}
        : a third month in a row suspends ingestion. Refused reports are not stored. SDKs keep their queued reports.
      </p>
      <p className="mt-3 font-medium">There are two ways to end the suspension:</p>
      <ol className="ml-5 list-decimal">
        <li>Choose a larger plan or a higher limit below (owners only). Reports are then accepted immediately.</li>
        <li>
          If {monthInWords(judged)} ends within the limit, reports are accepted again from <Day date={endsOn} />, 0:00
          UTC. Installs that request their configuration still count until then.
        </li>
      </ol>
    </section>
  );
}

/** The consequences of exceeding the limit this month. */
export function WhatHappens({ usage }: { usage: Usage }) {
  const { overBefore, suspension, limit, months } = usage;
  const month = thisMonthOf(usage);
  const current = months.at(-1);
  if (suspension) {
    const judged = monthAfter(suspension.endsOn.slice(0, 7), -1);
    return (
      <p className="text-muted">
        {judged === month
          ? `If the month ends with at most ${formatCount(limit)} active installs, the suspension ends with it.`
          : `The suspension lasts at least until ${monthInWords(judged)} has ended.`}
      </p>
    );
  }
  if (current?.counts === "struck_out" || current?.counts === "forgiven") {
    return (
      <p className="text-muted">This month does not count as over its limit, even if more installs become active.</p>
    );
  }
  const isOver = (current?.installs ?? 0) > limit;
  const names = Array.from({ length: overBefore }, (_, index) => monthInWords(monthAfter(month, index - overBefore)));
  const before = new Intl.ListFormat(undefined).format(names);
  if (overBefore === 2) {
    return (
      <p className="rounded-md bg-danger-soft px-3 py-2 text-danger-ink">
        {before} ended over the limit. As soon as this month exceeds {formatCount(limit)} as well, all reports are
        refused.
      </p>
    );
  }
  if (overBefore === 1) {
    return (
      <p className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
        {before} ended over the limit.{" "}
        {isOver
          ? `If this month also ends over the limit, all reports are refused as soon as ${monthInWords(monthAfter(month, 1))} exceeds the limit as well.`
          : "This has no effect if this month ends within the limit."}
      </p>
    );
  }
  return (
    <p className="text-muted">
      {isOver
        ? "This month is over the limit. This has no effect yet: reports are refused only in the third month in a row over the limit."
        : "Going over the limit has no effect at first: reports are refused only in the third month in a row over the limit."}
    </p>
  );
}
