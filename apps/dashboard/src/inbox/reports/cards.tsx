import type { ReportCard } from "@lodge/contract/dashboard/inbox";
import { Link } from "@tanstack/react-router";
import { Part } from "../../ui/part.tsx";

/** The cards about a problem or an event. Renders nothing without cards. */
export function Cards({ cards }: { cards: ReportCard[] }) {
  if (cards.length === 0) return null;
  return (
    <Part title="Cards">
      <ul className="flex flex-col gap-1">
        {cards.map(({ ticketId, title, board, column, isDone, isArchived }) => (
          <li key={ticketId} className="wrap-anywhere">
            <Link to="/tickets/$ticketId" params={{ ticketId }} className="font-medium hover:underline">
              {title}
            </Link>{" "}
            <span className="text-muted">
              {[board, column, isArchived ? "archived" : isDone ? "done" : ""].filter(Boolean).join(", ")}
            </span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
