import type { Card } from "@lodge/contract/dashboard/boards";
import { Repeat2, Users } from "lucide-react";
import { formatUsers, many } from "../../ui/numbers.ts";

const short = new Intl.NumberFormat(undefined, { notation: "compact" });

/** The numbers of occurrences and affected users of a card's problem, as text. Undefined if the card has no problem. */
export function reportInWords(report: Card["report"]): string | undefined {
  if (!report || report.problemId === null) return undefined;
  const { eventCount } = report;
  return `${many(eventCount, "report")} from ${formatUsers(report)}`;
}

/** The same as icons, next to a text that contains it. */
export function ReportCount({ report }: { report: Card["report"] }) {
  const inWords = reportInWords(report);
  if (!report || !inWords) return null;
  return (
    <span title={inWords} className="flex shrink-0 items-center gap-1 tabular-nums">
      <Repeat2 className="size-3.5" />
      <span className="font-medium text-ink">{short.format(report.eventCount)}</span>
      <Users className="ml-1 size-3.5" />
      {report.isUserCountExact ? "" : "~"}
      {short.format(report.userCount)}
    </span>
  );
}
