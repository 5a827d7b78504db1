import type { TicketReport as Report } from "@lodge/contract/dashboard/inbox";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { formatCount, formatUsers } from "../../ui/numbers.ts";
import { Part } from "../../ui/part.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { Frames } from "./event-error.tsx";
import { ProblemState } from "./problem-state.tsx";
import { ticketReportQuery } from "./report-queries.ts";

const framesShown = 6;
/** The number of frames to look for in a description, to decide whether it contains the stack trace. */
const framesCompared = 3;
const linkClass = "font-medium text-accent-ink underline underline-offset-2 wrap-anywhere";

/**
 * The problem or report that a card is about, with the first images, and with the stack trace unless the description
 * has it.
 */
export function TicketReport({ ticketId, description }: { ticketId: string; description: string }) {
  const report = useQuery(ticketReportQuery(ticketId));
  return (
    <div className="px-2">
      <Part title="Reported">
        {report.isPending && <Skeleton className="h-24" />}
        {report.isError && !report.data && <LoadError error={report.error} retry={() => void report.refetch()} />}
        {report.data && <About report={report.data} description={description} />}
      </Part>
    </div>
  );
}

function About({
  report: { problem, eventId, frames, pictures },
  description,
}: {
  report: Report;
  description: string;
}) {
  const [whole, setWhole] = useState(false);
  const isDescribed = frames.slice(0, framesCompared).every(({ file }) => file && description.includes(file));
  const shown = whole ? frames : frames.slice(0, isDescribed ? 0 : framesShown);
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1 text-sm">
        {problem && (
          <>
            <Link to="/problems/$problemId" params={{ problemId: problem.id }} className={linkClass}>
              {problem.eventCount === 1 ? "1 report" : `${formatCount(problem.eventCount)} reports`} of a problem
            </Link>
            <span className="text-muted">{formatUsers(problem)}</span>
            <span className="text-muted">
              Last seen <Time at={problem.lastSeenAt} />
              {problem.lastVersion !== null && <span className="wrap-anywhere"> in {problem.lastVersion}</span>}
            </span>
            <ProblemState problem={problem} />
          </>
        )}
        {eventId !== null && (
          <Link to="/events/$eventId" params={{ eventId }} className={linkClass}>
            {problem ? "Latest report" : "Show the report"}
          </Link>
        )}
      </div>
      {pictures.length > 0 && (
        <ul aria-label="Images" className="flex flex-wrap gap-2">
          {pictures.map(({ eventId: ofEvent, filename, url }) => (
            <li key={url}>
              <Link to="/events/$eventId" params={{ eventId: ofEvent }} className="block rounded-sm">
                <img
                  src={url}
                  alt={filename}
                  loading="lazy"
                  decoding="async"
                  referrerPolicy="no-referrer"
                  className="h-24 max-w-48 rounded-sm border border-line bg-sunken object-contain"
                />
              </Link>
            </li>
          ))}
        </ul>
      )}
      {shown.length > 0 && <Frames frames={shown} />}
      {shown.length < frames.length && (
        <Button small look="quiet" className="self-start" onClick={() => setWhole(true)}>
          {isDescribed ? "Show the stack trace" : `Show all ${frames.length} frames`}
        </Button>
      )}
    </div>
  );
}
