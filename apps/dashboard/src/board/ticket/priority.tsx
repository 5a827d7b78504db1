import { type Priority, priorityColours } from "../palette.ts";

/** The names of the priorities, lowest first. */
export const priorityLabels: Record<Priority, string> = {
  none: "No priority",
  low: "Low",
  medium: "Medium",
  high: "High",
};

const bars: Record<Priority, number> = { none: 0, low: 1, medium: 2, high: 3 };

const heights = ["h-1", "h-[7px]", "h-[11px]"];

/**
 * Bars that rise with the priority, next to its label. Not an SVG: the browser positions each one separately in every
 * frame.
 */
export function PriorityMark({ priority }: { priority: Priority }) {
  return (
    <span
      aria-hidden
      className={`inline-flex size-4 shrink-0 items-end justify-center gap-px pb-0.5 ${priorityColours[priority]}`}
    >
      {heights.map((height, bar) => (
        <span
          key={height}
          className={`w-[3px] rounded-[1px] ${height} ${bar < bars[priority] ? "bg-current" : "bg-current/25"}`}
        />
      ))}
    </span>
  );
}
