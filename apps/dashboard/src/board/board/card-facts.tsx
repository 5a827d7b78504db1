import type { Card } from "@lodge/contract/dashboard/boards";
import { KeyRound, MessageSquare, Smartphone, SquareCheck } from "lucide-react";
import type { ReactNode } from "react";
import { Avatar } from "../../ui/avatar.tsx";
import { Day, today } from "../../ui/time.tsx";
import { priorityColours } from "../palette.ts";
import { LabelName } from "../ticket/label-name.tsx";
import { PriorityMark, priorityLabels } from "../ticket/priority.tsx";
import { ReportCount } from "./report-count.tsx";

const labelsShown = 2;
/** Texts up to this length are not clipped, because clipped text costs time in each frame. */
const fitsInLine = 20;

/** Whether an open card is past its due date. */
export const isOverdue = ({ dueAt, doneAt }: Card) => dueAt !== null && doneAt === null && dueAt < today();

/** The facts of a card below its title, as icons. Hidden from screen readers, for which the card has them as text. */
export function CardFacts({ card }: { card: Card }) {
  const { priority, author, labels, occurrences, dueAt, commentCount, assignee, report } = card;
  const isTold =
    card.tasks ||
    report ||
    author.kind !== "person" ||
    labels.length > 0 ||
    occurrences > 1 ||
    dueAt ||
    commentCount > 0;
  if (priority === "none" && !isTold && !assignee) return null;
  return (
    <div aria-hidden className="card-facts mt-1.5 flex min-h-5 items-end gap-2 text-xs text-muted">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5 gap-y-1">
        {priority !== "none" && (
          <Fact className={`${priorityColours[priority]} ${priority === "high" ? "font-medium" : ""}`}>
            <PriorityMark priority={priority} />
            {priorityLabels[priority]}
          </Fact>
        )}
        {occurrences > 1 && (
          <Fact title={`Reported ${occurrences.toLocaleString()} times`}>
            <span className="font-medium text-ink tabular-nums">{occurrences.toLocaleString()}×</span>
          </Fact>
        )}
        <ReportCount report={report} />
        {dueAt && (
          <Fact className={isOverdue(card) ? "font-medium text-danger-ink" : ""}>
            <span>
              Due <Day date={dueAt} />
            </span>
          </Fact>
        )}
        {author.kind !== "person" && (
          <Fact title={`Filed by the ${author.kind === "app" ? "app" : "API token"} ${author.name}`}>
            {author.kind === "app" ? (
              <Smartphone className="size-3.5 shrink-0 text-accent-ink" />
            ) : (
              <KeyRound className="size-3.5 shrink-0 text-accent-ink" />
            )}
            <span className={clipped(author.name)}>{author.name}</span>
          </Fact>
        )}
        {labels.slice(0, labelsShown).map((label) => (
          <LabelName key={label} name={label} className={`px-1.5 ${clipped(label)}`} />
        ))}
        {labels.length > labelsShown && (
          <Fact title={labels.slice(labelsShown).join(", ")}>+{labels.length - labelsShown}</Fact>
        )}
        {card.tasks && (
          <Fact title={`${card.tasks.done} of ${card.tasks.total} tasks done`}>
            <SquareCheck className="size-3.5 shrink-0" />
            <span className="tabular-nums">
              {card.tasks.done}/{card.tasks.total}
            </span>
          </Fact>
        )}
        {commentCount > 0 && (
          <Fact>
            <MessageSquare className="size-3.5" />
            {commentCount}
          </Fact>
        )}
      </div>
      {assignee && <Avatar small name={assignee.name} isAgent={assignee.isAgent} />}
    </div>
  );
}

const clipped = (text: string) => (text.length > fitsInLine ? "truncate" : "");

function Fact({ title, className = "", children }: { title?: string; className?: string; children: ReactNode }) {
  return (
    <span {...(title && { title })} className={`flex max-w-full min-w-0 items-center gap-1 ${className}`}>
      {children}
    </span>
  );
}
