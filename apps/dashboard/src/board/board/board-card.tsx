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
import { CircleCheck } from "lucide-react";
import { memo, useEffect, useRef, useState } from "react";
import { Age, formatDay } from "../../ui/time.tsx";
import { shownTitle } from "../../ui/visible-text.ts";
import { priorityLabels } from "../ticket/priority.tsx";
import { cardLink, MoveButton, SelectButton } from "./card-controls.tsx";
import { CardFacts, isOverdue } from "./card-facts.tsx";
import type { OpenMenu } from "./menu-of-cards.tsx";
import { reportInWords } from "./report-count.tsx";
import type { Select } from "./use-selection.ts";

const newForMs = 5000;
/** The age from which an open card's age is highlighted. */
const oldMs = 14 * 86_400_000;
/** Titles up to this length are not clipped, because clipped text costs time in each frame. */
const fitsInLines = 60;

type CardProps = {
  card: Card;
  /** The search parameters of the board. */
  searchText: string;
  carried: boolean;
  selected: boolean;
  select: Select;
  openCard: (ticketId: string) => void;
  openMenu: OpenMenu;
};

/** A card in its column, number `place` of `count`. It can be dragged, and cards can be dropped next to it. */
export function BoardCard({ place, count, ...props }: CardProps & { place: number; count: number }) {
  const { card, selected } = props;
  const item = useRef<HTMLLIElement>(null);
  const [dragged, setDragged] = useState(false);
  const [edge, setEdge] = useState<Edge | null>(null);

  useEffect(() => {
    const element = item.current;
    if (!element) return;
    return combine(
      draggable({
        element,
        getInitialData: () => ({ ticketId: card.id }),
        onGenerateDragPreview: ({ nativeSetDragImage }) => {
          const together = element.dataset.selected === undefined ? 1 : selectedCount(element);
          if (together < 2) return; // the browser shows the card itself
          setCustomNativeDragPreview({
            nativeSetDragImage,
            getOffset: pointerOutsideOfPreview({ x: "12px", y: "8px" }),
            render: ({ container }) => {
              container.className = "rounded-lg bg-accent px-3 py-2 font-medium text-on-accent";
              container.textContent = `${together} cards`;
            },
          });
        },
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element,
        canDrop: ({ source }) => source.data.ticketId !== card.id,
        getData: ({ input, element: target }) =>
          attachClosestEdge({ ticketId: card.id }, { input, element: target, allowedEdges: ["top", "bottom"] }),
        onDrag: ({ self }) => setEdge(extractClosestEdge(self.data)),
        onDragLeave: () => setEdge(null),
        onDrop: () => setEdge(null),
      }),
    );
  }, [card.id]);

  return (
    <li
      ref={item}
      draggable // the drag library sets it anyway; set here, it saves a second style calculation
      data-card={card.id}
      data-selected={selected || undefined}
      data-dragged={dragged || undefined}
      aria-posinset={place}
      aria-setsize={count}
      className="relative p-1 contain-content"
    >
      <CardFace {...props} dragged={dragged} />
      {edge && (
        <span
          aria-hidden
          className={`absolute inset-x-1 h-0.5 rounded-full bg-accent ${edge === "top" ? "top-1" : "bottom-1"}`}
        />
      )}
    </li>
  );
}

/** The number of selected cards on the board. */
const selectedCount = (card: Element) => Number(card.closest<HTMLElement>("[data-selecting]")?.dataset.selecting);

/** The visible part of a card. A click opens it; it can be selected. */
const CardFace = memo(function CardFace({
  card,
  searchText,
  carried,
  selected,
  dragged,
  select,
  openCard,
  openMenu,
}: CardProps & { dragged: boolean }) {
  const [justFiled] = useState(() => Date.now() - Date.parse(card.createdAt) < newForMs);
  const title = shownTitle(card.title);
  const look = carried
    ? "border-accent bg-surface ring-2 ring-accent"
    : selected
      ? "border-accent bg-accent-soft ring-1 ring-accent"
      : "border-line bg-surface hover:border-line-strong";
  return (
    <div
      className={`card-face relative rounded-lg border px-3 py-2 shadow-card ${look} ${
        dragged ? "opacity-40" : selected ? "card-selected" : ""
      } ${justFiled ? "motion-safe:animate-arrive" : ""}`}
    >
      <CardHead card={card} />
      <a
        {...cardLink(card.id, { searchText, selected, select, openCard })}
        draggable={false}
        className="block leading-5 wrap-anywhere outline-none after:absolute after:inset-0 after:rounded-lg focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent"
      >
        <span
          dir="auto"
          className={`card-title block ${title.length > fitsInLines ? "line-clamp-3" : ""} ${card.doneAt ? "text-muted" : ""}`}
        >
          {title}
        </span>
      </a>
      <div className="absolute top-1 right-1 flex items-center">
        <SelectButton id={card.id} title={title} selected={selected} select={select} className="size-7" />
        <MoveButton card={card} title={title} openMenu={openMenu} className="size-7" />
      </div>
      <CardFacts card={card} />
      <CardInWords card={card} />
    </div>
  );
});

/** A card's title, age and done mark. */
function CardHead({ card }: { card: Card }) {
  const { number, createdAt, doneAt } = card;
  const old = doneAt === null && Date.now() - Date.parse(createdAt) > oldMs;
  return (
    <p className="card-head mb-0.5 flex h-5 items-center gap-1.5 pr-14 text-xs text-muted tabular-nums">
      {doneAt && <CircleCheck aria-hidden className="size-3.5 shrink-0 text-accent-ink" />}
      {number && <span className={`shrink-0 ${doneAt ? "line-through" : ""}`}>{number}</span>}
      <span aria-hidden className={`shrink-0 ${old ? "rounded-sm bg-warn-soft px-1 text-warn-ink" : ""}`}>
        <Age since={createdAt} />
      </span>
    </p>
  );
}

/** The facts of a card as one text for screen readers, because the browser paints each hidden element separately. */
function CardInWords({ card }: { card: Card }) {
  const { priority, author, labels, occurrences, dueAt, doneAt, createdAt, commentCount, assignee, report } = card;
  const words = [
    doneAt && "Done",
    priority !== "none" && `${priorityLabels[priority]} priority`,
    occurrences > 1 && `Reported ${occurrences.toLocaleString()} times`,
    reportInWords(report),
    dueAt && `${isOverdue(card) ? "Overdue since" : "Due"} ${formatDay(dueAt)}`,
    author.kind !== "person" && `${author.kind === "app" ? "App" : "API token"} ${author.name}`,
    labels.length > 0 && `${labels.length === 1 ? "Label" : "Labels"} ${labels.join(", ")}`,
    card.tasks && `${card.tasks.done} of ${card.tasks.total} tasks done`,
    commentCount > 0 && `${commentCount} ${commentCount === 1 ? "comment" : "comments"}`,
    assignee && `Assigned to ${assignee.name}`,
  ];
  return (
    <p className="sr-only">
      {words
        .filter(Boolean)
        .map((word) => `${word}. `)
        .join("")}
      Filed <Age ago since={createdAt} />.
    </p>
  );
}
