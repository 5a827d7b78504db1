import type { Card } from "@lodge/contract/dashboard/boards";

/** How urgent a ticket is. */
export type Priority = Card["priority"];

/** What each priority is called, the lowest first. */
export const priorityLabels: Record<Priority, string> = {
  none: "No priority",
  low: "Low",
  medium: "Medium",
  high: "High",
};

const bars: Record<Priority, number> = { none: 0, low: 1, medium: 2, high: 3 };

/** Bars that rise with the priority; named for a screen reader where no label stands beside them. */
export function PriorityMark({ priority, named = false }: { priority: Priority; named?: boolean }) {
  const label = priority === "none" ? priorityLabels.none : `${priorityLabels[priority]} priority`;
  return (
    <svg
      viewBox="0 0 16 16"
      {...(named ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
      className={`size-4 shrink-0 ${priority === "high" ? "text-danger-ink" : "text-muted"}`}
    >
      <title>{label}</title>
      {[0, 1, 2].map((bar) => (
        <rect
          key={bar}
          x={2 + bar * 4.5}
          y={10 - bar * 3.5}
          width="3"
          height={4 + bar * 3.5}
          rx="1"
          className="fill-current"
          fillOpacity={bar < bars[priority] ? 1 : 0.25}
        />
      ))}
    </svg>
  );
}
