import type { EventSummary } from "@lodge/contract/dashboard/inbox";
import { Bug, CircleQuestionMark, FileText, type LucideIcon, MessageSquareText, OctagonAlert } from "lucide-react";

type ReportKind = EventSummary["kind"];

/** The names of the kinds of report. */
export const kindLabels: Record<ReportKind, string> = {
  crash: "Crash",
  bug: "Bug",
  feedback: "Feedback",
  question: "Question",
  other: "Other",
};

const icons: Record<ReportKind, LucideIcon> = {
  crash: OctagonAlert,
  bug: Bug,
  feedback: MessageSquareText,
  question: CircleQuestionMark,
  other: FileText,
};

/** The icon of a kind. */
export function KindMark({ kind }: { kind: ReportKind }) {
  const Icon = icons[kind];
  return (
    <Icon
      role="img"
      aria-label={kindLabels[kind]}
      className={`size-4 shrink-0 ${kind === "crash" ? "text-danger-ink" : "text-muted"}`}
    />
  );
}
