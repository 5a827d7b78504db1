import type { Card, ListGroup } from "@lodge/contract/dashboard/boards";
import { CircleCheck } from "lucide-react";
import { memo } from "react";
import type { LoadedColumn } from "../../api/patch-board.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { Age, Day } from "../../ui/time.tsx";
import { shownTitle } from "../../ui/visible-text.ts";
import { priorityColours } from "../palette.ts";
import { LabelName } from "../ticket/label-name.tsx";
import { PriorityMark, priorityLabels } from "../ticket/priority.tsx";
import { cardLink, MoveButton, SelectButton } from "./card-controls.tsx";
import { isOverdue } from "./card-facts.tsx";
import { muchRoom, rowClass, someRoom } from "./list-head.tsx";
import type { OpenMenu } from "./menu-of-cards.tsx";
import type { Select } from "./use-selection.ts";

type RowProps = {
  card: Card;
  /** Its index from the top. */
  index: number;
  /** The height of the rows above it that are not laid out, in pixels. */
  roomPx: number;
  /** If the card is the first of its group: the grouping, and the number of cards in the group. */
  group: ListGroup | undefined;
  groupCount: number | undefined;
  column: LoadedColumn | undefined;
  searchText: string;
  selected: boolean;
  select: Select;
  openCard: (ticketId: string) => void;
  openMenu: OpenMenu;
};

/** A card in a list, preceded by its group's heading if it is the first of the group. */
export const ListRow = memo(function ListRow({ roomPx, group, groupCount, ...props }: RowProps) {
  const { card, column, selected } = props;
  return (
    <>
      {roomPx > 0 && <tbody aria-hidden className="block" style={{ height: roomPx }} />}
      <tbody data-card={card.id} data-selected={selected || undefined} className="block contain-content">
        {group && (
          <tr className="block border-b border-line bg-sunken">
            <th scope="rowgroup" className="flex h-9 items-center gap-2 px-4 text-left font-semibold md:px-6">
              <GroupName group={group} card={card} column={column} />
              {groupCount !== undefined && (
                <span className="font-normal text-muted tabular-nums">
                  {formatCount(groupCount)}
                  <span className="sr-only">{groupCount === 1 ? " card" : " cards"}</span>
                </span>
              )}
            </th>
          </tr>
        )}
        <Row {...props} />
      </tbody>
    </>
  );
});

function GroupName({ group, card, column }: { group: ListGroup; card: Card; column: LoadedColumn | undefined }) {
  const { assignee, author, labels, priority } = card;
  if (group === "priority") {
    return (
      <>
        <PriorityMark priority={priority} />
        {priorityLabels[priority]}
      </>
    );
  }
  if (group === "label") {
    return labels[0] ? <LabelName name={labels[0]} className="truncate px-2 font-medium" /> : <>No label</>;
  }
  const name = group === "column" ? column?.name : group === "author" ? author.name : (assignee?.name ?? "No assignee");
  return (
    <>
      {group === "assignee" && assignee && <Avatar small name={assignee.name} isAgent={assignee.isAgent} />}
      {group === "column" && column?.isDone && <CircleCheck aria-hidden className="size-4 shrink-0 text-accent-ink" />}
      <span dir="auto" className="truncate">
        {name}
      </span>
    </>
  );
}

function Row({
  card,
  index,
  column,
  searchText,
  selected,
  select,
  openCard,
  openMenu,
}: Omit<RowProps, "roomPx" | "group" | "groupCount">) {
  const { id, number, doneAt } = card;
  const title = shownTitle(card.title);
  return (
    <tr
      aria-rowindex={index + 2}
      className={`${rowClass} relative min-h-10 border-b border-line ${selected ? "bg-accent-soft" : "bg-surface hover:bg-hover"}`}
    >
      <td>
        <SelectButton id={id} title={title} selected={selected} select={select} className="relative z-1 size-8" />
      </td>
      <td className="min-w-0 py-1.5">
        <div className="flex items-baseline gap-2">
          {number && (
            <span className={`shrink-0 text-xs text-muted tabular-nums ${doneAt ? "line-through" : ""}`}>{number}</span>
          )}
          <a
            {...cardLink(id, { searchText, selected, select, openCard })}
            className="min-w-0 truncate outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
          >
            <span dir="auto" className={doneAt ? "text-muted" : ""}>
              {title}
            </span>
          </a>
        </div>
        <Meta card={card} column={column} />
      </td>
      <Facts card={card} column={column} />
      <td>
        <MoveButton card={card} title={title} openMenu={openMenu} className="relative z-1 size-8" />
      </td>
    </tr>
  );
}

type Shown = { card: Card; column: LoadedColumn | undefined };

/** The facts of a card on a separate line, if there is no room for columns. */
function Meta({ card, column }: Shown) {
  const { priority, assignee, dueAt, labels } = card;
  return (
    <p className="flex items-center gap-2.5 overflow-hidden text-xs whitespace-nowrap text-muted @2xl:hidden">
      <span dir="auto" className="min-w-0 truncate">
        {column?.name}
      </span>
      {priority !== "none" && <span className={priorityColours[priority]}>{priorityLabels[priority]}</span>}
      {dueAt && <Due card={card} />}
      {labels[0] && <LabelName name={labels[0]} className="truncate px-1.5" />}
      {assignee && (
        <span dir="auto" className="min-w-0 truncate">
          {assignee.name}
        </span>
      )}
    </p>
  );
}

function Facts({ card, column }: Shown) {
  const { priority, assignee, labels, dueAt, updatedAt } = card;
  return (
    <>
      <td dir="auto" className={`truncate ${someRoom}`}>
        {column?.name}
      </td>
      <td className={someRoom}>
        {priority !== "none" && (
          <span className={`flex items-center gap-1 ${priorityColours[priority]}`}>
            <PriorityMark priority={priority} />
            {priorityLabels[priority]}
          </span>
        )}
      </td>
      <td className={someRoom}>
        {assignee && (
          <span className="flex items-center gap-2">
            <Avatar small name={assignee.name} isAgent={assignee.isAgent} />
            <span dir="auto" className="truncate @max-5xl:sr-only">
              {assignee.name}
            </span>
          </span>
        )}
      </td>
      <td className={muchRoom}>
        <span className="flex gap-1 overflow-hidden text-xs whitespace-nowrap">
          {labels.map((label) => (
            <LabelName key={label} name={label} className="shrink-0 truncate px-1.5" />
          ))}
        </span>
      </td>
      <td className={someRoom}>{dueAt && <Due card={card} />}</td>
      <td className={`text-muted tabular-nums ${muchRoom}`}>
        <Age ago since={updatedAt} />
      </td>
    </>
  );
}

function Due({ card }: { card: Card }) {
  const overdue = isOverdue(card);
  return (
    <span className={overdue ? "font-medium text-danger-ink" : ""}>
      <span className={overdue ? "sr-only" : "@2xl:sr-only"}>{overdue ? "Overdue since " : "Due "}</span>
      <Day date={card.dueAt ?? ""} />
    </span>
  );
}
