import { makeEventCard } from "@lodge/contract/calls.generated";
import type { EventDetails } from "@lodge/contract/dashboard/inbox";
import { Link, useNavigate } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { call } from "../../api/call.ts";
import { buttonClass } from "../../ui/button.tsx";
import { LongText } from "../../ui/long-text.tsx";
import { formatBytes, formatCount } from "../../ui/numbers.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Part } from "../../ui/part.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { KindMark, kindLabels } from "../report-kind.tsx";
import { EventDeliveries } from "../subscribers/event-deliveries.tsx";
import { Attachments } from "./attachments.tsx";
import { Breadcrumbs } from "./breadcrumbs.tsx";
import { Cards } from "./cards.tsx";
import { Conversation } from "./conversation.tsx";
import { EraseButton } from "./erase-dialog.tsx";
import { EventError } from "./event-error.tsx";
import { Facts } from "./facts.tsx";
import { MakeCard } from "./make-card.tsx";
import { RawEnvelope } from "./raw-envelope.tsx";
import { ReportsPath } from "./reports-path.tsx";
import { ValueTree } from "./value-tree.tsx";

/** An event with all of its data. The data is untrusted, so it is only shown as text. */
export function EventView({ event }: { event: EventDetails }) {
  const navigate = useNavigate();
  const { app, problem, error, message, breadcrumbs, attachments, dropped, context, isCut } = event;
  return (
    <main className="mx-auto max-w-6xl px-4 py-6 md:px-8">
      <ReportsPath app={app} />
      <PageHeading
        title={event.title}
        hint={
          <span className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
            <span className="inline-flex items-center gap-1.5">
              <KindMark kind={event.kind} />
              {kindLabels[event.kind]}
            </span>
            <span>
              Received <Time at={event.receivedAt} />
            </span>
            {event.appFields.version && <span className="wrap-anywhere">Version {event.appFields.version}</span>}
            {event.appFields.environment && <span className="wrap-anywhere">{event.appFields.environment}</span>}
          </span>
        }
      >
        <MakeCard make={(columnId) => call(makeEventCard, { params: { eventId: event.id }, body: { columnId } })} />
        <EraseButton
          known={senderOf(event)}
          onErased={() => void navigate({ to: "/reports/$appId", params: { appId: app.id } })}
        />
      </PageHeading>
      {problem && <ProblemStrip event={event} problem={problem} />}
      {event.readFailure !== null && (
        <p className="mb-6 text-sm text-danger-ink">{event.readFailure} The report is shown unprocessed.</p>
      )}
      <div className="grid gap-x-8 gap-y-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="flex min-w-0 flex-col gap-6">
          {event.aboutEventId !== null && (
            <p className="text-sm">
              This feedback is about{" "}
              <Link
                to="/events/$eventId"
                params={{ eventId: event.aboutEventId }}
                className="text-accent-ink underline underline-offset-2"
              >
                another report
              </Link>
              .
            </p>
          )}
          {message && (
            <Part title="Message">
              <LongText text={message} className="rounded-md border border-line bg-surface p-3 leading-6" />
            </Part>
          )}
          {error && <EventError error={error} />}
          {breadcrumbs.length > 0 && (
            <Part title="Breadcrumbs">
              <Breadcrumbs breadcrumbs={breadcrumbs} />
            </Part>
          )}
          {event.threadId !== null && (
            <Part title="Conversation with the reporter">
              <Conversation threadId={event.threadId} eventId={event.id} appId={app.id} />
            </Part>
          )}
          {event.feedback.length > 0 && <Feedback feedback={event.feedback} />}
          <Cards cards={event.cards} />
          {attachments.length > 0 && (
            <Part title="Attachments">
              <Attachments attachments={attachments} />
            </Part>
          )}
          {context !== null && (
            <Part title="Context">
              <ValueTree value={context} />
            </Part>
          )}
          {isCut && (
            <p className="rounded-md bg-warn-soft px-3 py-2 text-sm text-warn-ink">
              This report is large. This page does not show its context and breadcrumb data, and truncates long texts.
              Open the raw envelope to see everything.
            </p>
          )}
          {dropped.length > 0 && (
            <Part title="Removed before sending">
              <ul className="flex flex-col gap-1">
                {dropped.map(({ partName, reason, byteLength }, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be equal
                  <li key={index} className="wrap-anywhere">
                    <span className="font-medium">{partName}</span>
                    <span className="text-muted">
                      {" "}
                      {reason}
                      {byteLength !== null && ` (${formatBytes(byteLength)})`}
                    </span>
                  </li>
                ))}
              </ul>
            </Part>
          )}
          <EventDeliveries eventId={event.id} />
          <RawEnvelope url={event.envelopeUrl} />
          {event.originalUrl !== null && (
            <p className="text-sm">
              A Sentry SDK sent this report.{" "}
              <a href={event.originalUrl} download className="text-accent-ink underline underline-offset-2">
                Download the original event
              </a>
            </p>
          )}
        </div>
        <aside aria-label="About this report" className="flex min-w-0 flex-col gap-5">
          <Facts title="User" facts={event.user} />
          <Facts title="App" facts={{ ...event.appFields, ...(event.sdk !== null && { sdk: event.sdk }) }} />
          <Facts title="Device" facts={deviceOf(event)} />
          <Facts title="Tags" facts={event.tags} />
          <Facts
            title="Report"
            facts={{
              received: <ExactTime at={event.receivedAt} />,
              ...(event.occurredAt !== null && { occurred: <SentTime at={event.occurredAt} /> }),
              report: event.reportId,
              event: event.id,
              ...(event.installId !== null && { install: event.installId }),
              ...(event.fingerprint.length > 0 && { fingerprint: event.fingerprint.join("\n") }),
            }}
          />
        </aside>
      </div>
    </main>
  );
}

/** The time of the reporter's clock, as sent if it cannot be parsed, such as a leap second. */
const SentTime = ({ at }: { at: string }) => (Number.isNaN(Date.parse(at)) ? at : <ExactTime at={at} />);

/** The feedback of reporters about an event. */
function Feedback({ feedback }: { feedback: EventDetails["feedback"] }) {
  return (
    <Part title="Feedback">
      <ul className="flex flex-col gap-2">
        {feedback.map(({ eventId, message, receivedAt }) => (
          <li key={eventId} className="rounded-md border border-line bg-surface p-3">
            <p className="whitespace-pre-wrap wrap-anywhere">{message}</p>
            <p className="mt-1 text-sm text-muted">
              <Link to="/events/$eventId" params={{ eventId }} className="underline underline-offset-2">
                Received <Time at={receivedAt} />
              </Link>
            </p>
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** The device of a report. The operating system is the sent one, or is read from the user agent. */
const deviceOf = ({ browser, os, device }: EventDetails) => ({
  ...(browser !== null && { browser }),
  ...(os !== null && !device.os && { os }),
  ...device,
});

/** The sender of a report. */
const senderOf = ({ user, installId }: EventDetails) => ({
  ...(user.id && { user: user.id }),
  ...(user.email && { email: user.email }),
  ...(installId && { install: installId }),
});

function ProblemStrip({ event, problem }: { event: EventDetails; problem: NonNullable<EventDetails["problem"]> }) {
  return (
    <div className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-2 rounded-md border border-line bg-surface px-3 py-2">
      <p className="min-w-0 flex-1 text-sm">
        <Link
          to="/problems/$problemId"
          params={{ problemId: problem.id }}
          className="font-medium text-accent-ink underline underline-offset-2"
        >
          {problem.eventCount === 1 ? "The only occurrence" : `One of ${formatCount(problem.eventCount)} occurrences`}
        </Link>{" "}
        <span className="text-muted">of a problem that was first seen</span> <Time at={problem.firstSeenAt} />
      </p>
      <nav aria-label="Occurrences" className="flex gap-1">
        <Step to={event.olderEventId}>
          <ChevronLeft aria-hidden className="size-4" />
          Older
        </Step>
        <Step to={event.newerEventId}>
          Newer
          <ChevronRight aria-hidden className="size-4" />
        </Step>
      </nav>
    </div>
  );
}

function Step({ to, children }: { to: string | null; children: ReactNode }) {
  if (to === null) return null;
  return (
    <Link to="/events/$eventId" params={{ eventId: to }} className={buttonClass({ small: true })}>
      {children}
    </Link>
  );
}
