import { makeEventCard, makeProblemCard } from "@lodge/contract/calls.generated";
import type { EventSummary, InboxEntry, ProblemSummary } from "@lodge/contract/dashboard/inbox";
import { Link } from "@tanstack/react-router";
import { Paperclip, SquareKanban } from "lucide-react";
import { type ReactNode, useRef } from "react";
import { call } from "../../api/call.ts";
import { formatCount, formatUserCount } from "../../ui/numbers.ts";
import { Time } from "../../ui/time.tsx";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";
import { useListKeys } from "../../ui/use-list-keys.ts";
import { KindMark } from "../report-kind.tsx";
import { firstColumnOf, useCardBoard } from "./make-card.tsx";
import { changeState } from "./problem-actions.tsx";
import { ProblemState } from "./problem-state.tsx";

/** Problems and single reports. J and K move between them, Enter opens, R resolves, and C creates a card. */
export function InboxList({ entries }: { entries: InboxEntry[] }) {
  const list = useRef<HTMLUListElement>(null);
  const { board } = useCardBoard();
  const resolve = async (entry: InboxEntry | undefined, index: number) => {
    if (entry?.type !== "problem") return;
    const rows = list.current?.children; // the focused entry is about to disappear
    (rows?.[index + 1] ?? rows?.[index - 1])?.querySelector("a")?.focus();
    await changeState(entry.problem, { state: "resolved" });
    tellDone(`Resolved: ${entry.problem.title}`);
  };
  const makeCard = async (entry: InboxEntry | undefined) => {
    if (!board || !entry) return;
    const body = { columnId: await firstColumnOf(board.id) };
    if (entry.type === "problem") await call(makeProblemCard, { params: { problemId: entry.problem.id }, body });
    else await call(makeEventCard, { params: { eventId: entry.event.id }, body });
    tellDone(`Created a card on ${board.name}`);
  };
  useListKeys(list, {
    r: (index) =>
      void resolve(entries[index], index).catch((error) => tellFailed("Could not change the problem", error)),
    c: (index) => void makeCard(entries[index]).catch((error) => tellFailed("Could not create the card", error)),
  });
  return (
    <>
      <div
        aria-hidden
        className="hidden items-center gap-4 px-3 pb-1 text-xs text-muted md:flex [&>span]:w-16 [&>span]:text-right"
      >
        <p className="flex-1">J and K to move, Enter to open, R to resolve, C to create a card</p>
        <span>Reports</span>
        <span>Installs</span>
        <span className="w-24!">Last seen</span>
      </div>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul ref={list} role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
        {entries.map((entry) =>
          entry.type === "problem" ? (
            <ProblemRow key={entry.problem.id} problem={entry.problem} />
          ) : (
            <ReportRow key={entry.event.id} event={entry.event} />
          ),
        )}
      </ul>
    </>
  );
}

const titleClass =
  "font-medium wrap-anywhere line-clamp-2 md:line-clamp-1 after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent";

function ProblemRow({ problem }: { problem: ProblemSummary }) {
  const { id, kind, title, culprit, eventCount, lastSeenAt, lastVersion, cardCount } = problem;
  return (
    <Row
      kind={kind}
      about={
        <>
          <ProblemState problem={problem} />
          {culprit !== null && <span className="min-w-0 truncate font-mono text-xs">{culprit}</span>}
          {lastVersion !== null && <span className="max-w-40 truncate">{lastVersion}</span>}
          {cardCount > 0 && (
            <span className="inline-flex items-center gap-0.5">
              <SquareKanban aria-label="Cards:" role="img" className="size-3.5" />
              {cardCount}
            </span>
          )}
        </>
      }
      eventCount={eventCount}
      users={problem}
      at={lastSeenAt}
    >
      <Link to="/problems/$problemId" params={{ problemId: id }} className={titleClass}>
        {title}
      </Link>
    </Row>
  );
}

function ReportRow({ event }: { event: EventSummary }) {
  const { id, kind, title, message, user, version, attachmentCount, receivedAt } = event;
  return (
    <Row
      kind={kind}
      about={
        <>
          {message !== "" && message !== title && <span className="min-w-0 truncate">{message}</span>}
          {user !== null && <span className="max-w-48 truncate">{user}</span>}
          {version !== null && <span className="max-w-40 truncate">{version}</span>}
          {attachmentCount > 0 && (
            <span className="inline-flex items-center gap-0.5">
              <Paperclip aria-label="Attachments:" role="img" className="size-3.5" />
              {attachmentCount}
            </span>
          )}
        </>
      }
      at={receivedAt}
    >
      <Link to="/events/$eventId" params={{ eventId: id }} className={titleClass}>
        {title}
      </Link>
    </Row>
  );
}

function Row({
  kind,
  children,
  about,
  eventCount,
  users,
  at,
}: {
  kind: EventSummary["kind"];
  children: ReactNode;
  about: ReactNode;
  eventCount?: number;
  users?: ProblemSummary;
  at: string;
}) {
  return (
    <li className="far-off relative flex items-start gap-3 px-3 py-2 hover:bg-hover md:items-center">
      <span className="mt-0.5 md:mt-0">
        <KindMark kind={kind} />
      </span>
      <div className="flex min-w-0 flex-1 flex-col gap-x-4 gap-y-0.5 md:flex-row md:items-center">
        <div className="min-w-0 flex-1">
          {children}
          <p className="flex min-w-0 flex-wrap items-center gap-x-2 text-sm text-muted md:flex-nowrap [&>*]:shrink-0 [&>.truncate]:shrink">
            {about}
          </p>
        </div>
        <p className="flex gap-x-4 text-sm text-muted md:contents [&>span]:md:w-16 [&>span]:md:shrink-0 [&>span]:md:text-right">
          <Count what={eventCount === 1 ? "report" : "reports"}>{eventCount && formatCount(eventCount)}</Count>
          <Count what={users?.userCount === 1 ? "user" : "users"}>{users && formatUserCount(users)}</Count>
          <span className="md:w-24!">
            <Time at={at} />
          </span>
        </p>
      </div>
    </li>
  );
}

function Count({ children, what }: { children: ReactNode; what: string }) {
  if (children === undefined) return <span className="hidden md:inline" />;
  return (
    <span className="tabular-nums">
      {children} <span className="md:sr-only">{what}</span>
    </span>
  );
}
