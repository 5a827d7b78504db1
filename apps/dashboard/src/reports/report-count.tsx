import type { Card } from "@lodge/contract/dashboard/boards";
import { MonitorSmartphone, Repeat2 } from "lucide-react";
import { formatCount } from "./sizes.ts";

const short = new Intl.NumberFormat(undefined, { notation: "compact" });

/** How often the problem of a card has occurred, and on how many installs; nothing on a card of anything else. */
export function ReportCount({ report }: { report: Card["report"] }) {
  if (!report || report.problemId === null) return null;
  const { eventCount, installCount } = report;
  const inWords = `${formatCount(eventCount)} ${eventCount === 1 ? "report" : "reports"} from ${formatCount(installCount)} ${
    installCount === 1 ? "install" : "installs"
  }`;
  return (
    <span title={inWords} className="flex shrink-0 items-center gap-1 tabular-nums">
      <Repeat2 aria-hidden className="size-3.5" />
      <span aria-hidden className="font-medium text-ink">
        {short.format(eventCount)}
      </span>
      <MonitorSmartphone aria-hidden className="ml-1 size-3.5" />
      <span aria-hidden>{short.format(installCount)}</span>
      <span className="sr-only">{inWords}</span>
    </span>
  );
}
