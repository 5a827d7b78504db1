import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { pointerOutsideOfPreview } from "@atlaskit/pragmatic-drag-and-drop/element/pointer-outside-of-preview";
import { setCustomNativeDragPreview } from "@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview";
import {
  attachClosestEdge,
  type Edge,
  extractClosestEdge,
} from "@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge";
import type { Card } from "@lodge/contract/dashboard/boards";
import {
  CalendarDays,
  Check,
  CircleCheck,
  Ellipsis,
  KeyRound,
  MessageSquare,
  Repeat2,
  Smartphone,
  Tag,
} from "lucide-react";
import { type MouseEvent, memo, type ReactNode, useEffect, useRef, useState } from "react";
import { ReportCount } from "../reports/report-count.tsx";
import { type Priority, PriorityMark, priorityLabels } from "../ticket/priority.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { IconButton } from "../ui/button.tsx";
import { Age, Day, today } from "../ui/time.tsx";
import { shownTitle } from "../ui/visible-text.ts";
import { cardElementId } from "./use-carry.ts";
import type { Select } from "./use-selection.ts";

const newForMs = 5000;
/** An open card that nobody has filed for so long stands out by its age. */
const oldMs = 14 * 86_400_000;
const labelsShown = 2;
/** How many characters of a title, and of another text, need no clipping: what is clipped costs in each frame. */
const fitsInLines = 60;
const fitsInLine = 20;

/** The edge of a card tells its priority from afar. */
const edges: Record<Priority, string> = {
  none: "",
  low: "before:bg-line-strong/50",
  medium: "before:bg-warn",
  high: "before:bg-danger",
};

/** A card on a board: opens at a click, and can be dragged, carried by keyboard, or selected with others. */
export const BoardCard = memo(function BoardCard({
  card,
  searchText,
  carried,
  selected,
  select,
  openCard,
  openMenu,
}: {
  card: Card;
  /** What follows the path of the board in its address. */
  searchText: string;
  carried: boolean;
  selected: boolean;
  select: Select;
  openCard: (ticketId: string) => void;
  openMenu: (card: Card, anchor: HTMLElement) => void;
}) {
  const element = useRef<HTMLLIElement>(null);
  const [dragged, setDragged] = useState(false);
  const [edge, setEdge] = useState<Edge | null>(null);
  const [justFiled] = useState(() => Date.now() - Date.parse(card.createdAt) < newForMs);

  useEffect(() => {
    const place = element.current;
    if (!place) return;
    return combine(
      draggable({
        element: place,
        getInitialData: () => ({ ticketId: card.id }),
        onGenerateDragPreview: ({ nativeSetDragImage }) => {
          const count = place.dataset.selected === undefined ? 1 : selectedCount(place);
          if (count < 2) return; // the browser shows the card
          setCustomNativeDragPreview({
            nativeSetDragImage,
            getOffset: pointerOutsideOfPreview({ x: "12px", y: "8px" }),
            render: ({ container }) => {
              container.className = "rounded-lg bg-accent px-3 py-2 font-medium text-on-accent";
              container.textContent = `${count} cards`;
            },
          });
        },
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element: place,
        canDrop: ({ source }) => source.data.ticketId !== card.id,
        getData: ({ input, element: target }) =>
          attachClosestEdge({ ticketId: card.id }, { input, element: target, allowedEdges: ["top", "bottom"] }),
        onDrag: ({ self }) => setEdge(extractClosestEdge(self.data)),
        onDragLeave: () => setEdge(null),
        onDrop: () => setEdge(null),
      }),
    );
  }, [card.id]);

  const title = shownTitle(card.title);
  const onClick = (event: MouseEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return; // the browser opens a tab, or keeps it
    event.preventDefault();
    if (event.shiftKey) select(card.id, "range");
    else openCard(card.id);
  };
  const look = carried
    ? "border-accent ring-2 ring-accent"
    : selected
      ? "border-accent bg-accent-soft ring-1 ring-accent"
      : "border-line bg-surface hover:border-line-strong";
  return (
    // Its padding has room for all that stands out of the card: the browser paints nothing outside of what it may skip.
    <li ref={element} data-card={card.id} data-selected={selected || undefined} className="card-place">
      <div
        className={`group/card relative rounded-lg border px-3 py-2 shadow-card before:absolute before:inset-y-0 before:left-0 before:w-1 before:rounded-l-lg ${edges[card.priority]} ${look} ${
          dragged ? "opacity-40" : selected ? "card-selected" : ""
        } ${justFiled ? "motion-safe:animate-arrive" : ""}`}
      >
        {edge && (
          <span
            aria-hidden
            className={`absolute inset-x-0 h-0.5 rounded-full bg-accent ${edge === "top" ? "top-0" : "bottom-0"}`}
          />
        )}
        <CardHead card={card} />
        {/* Not the router's link: hundreds of those would each look at every change of the address. */}
        <a
          id={cardElementId(card.id)}
          href={`/tickets/${card.id}${searchText}`}
          draggable={false}
          aria-describedby={`card-keys${selected ? " card-selected" : ""}`}
          onClick={onClick}
          onMouseDown={(event) => event.shiftKey && event.preventDefault()} // which would mark text
          className="block leading-5 wrap-anywhere outline-none after:absolute after:inset-0 after:rounded-lg focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
        >
          <span
            dir="auto"
            className={`block ${title.length > fitsInLines ? "line-clamp-3" : ""} ${card.doneAt ? "text-muted" : ""}`}
          >
            {title}
          </span>
        </a>
        <div className="absolute top-1 right-1 flex items-center">
          <button
            type="button"
            tabIndex={-1} // X does it from the card
            aria-pressed={selected}
            aria-label={`Select ${title}`}
            title="Select (X)"
            onClick={(event) => select(card.id, event.shiftKey ? "range" : "switch")}
            className="card-select hidden size-7 items-center justify-center opacity-0 group-focus-within/card:opacity-100 group-hover/card:opacity-100 md:inline-flex"
          >
            <span
              className={`inline-flex size-4 items-center justify-center rounded-sm border ${
                selected ? "border-accent bg-accent text-on-accent" : "border-line-strong bg-surface"
              }`}
            >
              {selected && <Check aria-hidden className="size-3" />}
            </span>
          </button>
          <IconButton
            label={`Move ${title}`}
            aria-haspopup="menu"
            onClick={(event) => openMenu(card, event.currentTarget)}
            className="size-7 focus-visible:opacity-100 md:opacity-0 md:group-focus-within/card:opacity-100 md:group-hover/card:opacity-100"
          >
            <Ellipsis aria-hidden className="size-4" />
          </IconButton>
        </div>
        <CardFacts card={card} />
      </div>
    </li>
  );
});

/** How many cards of the board are selected. */
const selectedCount = (card: Element) =>
  card.closest("[data-selecting]")?.querySelectorAll("[data-selected]").length ?? 0;

/** What a card is called, how old it is, and whether it is done. */
function CardHead({ card }: { card: Card }) {
  const { number, createdAt, doneAt } = card;
  const old = doneAt === null && Date.now() - Date.parse(createdAt) > oldMs;
  return (
    <p className="mb-0.5 flex h-5 items-center gap-1.5 pr-14 text-xs text-muted tabular-nums">
      {doneAt && <CircleCheck aria-hidden className="size-3.5 shrink-0 text-accent-ink" />}
      {doneAt && <span className="sr-only">Done</span>}
      {number && <span className={`shrink-0 ${doneAt ? "line-through" : ""}`}>{number}</span>}
      <span className={`shrink-0 ${old ? "rounded-sm bg-warn-soft px-1 text-warn-ink" : ""}`}>
        <span className="sr-only">Filed </span>
        <Age since={createdAt} />
        <span className="sr-only"> ago</span>
      </span>
    </p>
  );
}

function CardFacts({ card }: { card: Card }) {
  const { priority, author, labels, occurrences, dueAt, doneAt, commentCount, assignee, report } = card;
  const isTold =
    report || author.kind !== "person" || labels.length > 0 || occurrences > 1 || dueAt || commentCount > 0;
  if (priority === "none" && !isTold && !assignee) return null;
  const overdue = dueAt !== null && doneAt === null && dueAt < today();
  return (
    <div className="mt-1.5 flex min-h-5 items-end gap-2 text-xs text-muted">
      <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2.5 gap-y-1">
        {priority !== "none" && (
          <Fact>
            <PriorityMark priority={priority} />
            <span className={priority === "high" ? "font-medium text-danger-ink" : ""}>
              {priorityLabels[priority]}
              <span className="sr-only"> priority</span>
            </span>
          </Fact>
        )}
        {occurrences > 1 && (
          <Fact title={`Told of ${occurrences.toLocaleString()} times`}>
            <Repeat2 aria-hidden className="size-3.5" />
            <span className="font-medium text-ink">{occurrences.toLocaleString()}</span>
            <span className="sr-only">times</span>
          </Fact>
        )}
        <ReportCount report={report} />
        {dueAt && (
          <Fact className={overdue ? "font-medium text-danger-ink" : ""}>
            <CalendarDays aria-hidden className="size-3.5" />
            <span className="sr-only">{overdue ? "Overdue since" : "Due"}</span>
            <Day date={dueAt} />
          </Fact>
        )}
        {author.kind !== "person" && (
          <Fact title={`Filed by the ${author.kind === "app" ? "app" : "API token"} ${author.name}`}>
            {author.kind === "app" ? (
              <Smartphone aria-hidden className="size-3.5 shrink-0 text-accent-ink" />
            ) : (
              <KeyRound aria-hidden className="size-3.5 shrink-0 text-accent-ink" />
            )}
            <span className="sr-only">{author.kind === "app" ? "App" : "API token"}</span>
            <span className={clipped(author.name)}>{author.name}</span>
          </Fact>
        )}
        {labels.slice(0, labelsShown).map((label) => (
          <Fact key={label}>
            <Tag aria-hidden className="size-3 shrink-0" />
            <span className="sr-only">Label</span>
            <span dir="auto" className={clipped(label)}>
              {label}
            </span>
          </Fact>
        ))}
        {labels.length > labelsShown && (
          <Fact title={labels.slice(labelsShown).join(", ")}>
            +{labels.length - labelsShown}
            <span className="sr-only">more labels</span>
          </Fact>
        )}
        {commentCount > 0 && (
          <Fact>
            <MessageSquare aria-hidden className="size-3.5" />
            {commentCount}
            <span className="sr-only">{commentCount === 1 ? "comment" : "comments"}</span>
          </Fact>
        )}
      </div>
      {assignee && (
        <span className="flex shrink-0">
          <Avatar small name={assignee.name} isAgent={assignee.isAgent} />
          <span className="sr-only">Assigned to {assignee.name}</span>
        </span>
      )}
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
