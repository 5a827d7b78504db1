import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import {
  attachClosestEdge,
  type Edge,
  extractClosestEdge,
} from "@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge";
import type { Card } from "@lodge/contract/dashboard/boards";
import { Link } from "@tanstack/react-router";
import { CalendarDays, Ellipsis, KeyRound, MessageSquare, Smartphone } from "lucide-react";
import { memo, useEffect, useRef, useState } from "react";
import type { CardFilter } from "../api/queries.ts";
import { PriorityMark } from "../ticket/priority.tsx";
import { Avatar } from "../ui/avatar.tsx";
import { IconButton } from "../ui/button.tsx";
import { Day, today } from "../ui/time.tsx";
import { shownTitle } from "../ui/visible-text.ts";
import { cardElementId } from "./use-carry.ts";

const newForMs = 5000;

/** A card on a board: opens at a click, and can be dragged, or carried by keyboard. */
export const BoardCard = memo(function BoardCard({
  card,
  filter,
  carried,
  openMenu,
}: {
  card: Card;
  filter: CardFilter;
  carried: boolean;
  openMenu: (card: Card, anchor: HTMLElement) => void;
}) {
  const element = useRef<HTMLLIElement>(null);
  const [dragged, setDragged] = useState(false);
  const [edge, setEdge] = useState<Edge | null>(null);
  const [justFiled] = useState(() => Date.now() - Date.parse(card.createdAt) < newForMs);

  useEffect(() => {
    if (!element.current) return;
    return combine(
      draggable({
        element: element.current,
        getInitialData: () => ({ ticketId: card.id }),
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element: element.current,
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
    // Its padding has room for all that stands out of the card: the browser paints nothing outside of what it may skip.
    <li ref={element} data-card={card.id} className="card-place">
      <div
        className={`group/card relative rounded-lg border bg-surface px-3 py-2.5 shadow-card ${
          carried ? "border-accent ring-2 ring-accent" : "border-line hover:border-line-strong"
        } ${dragged ? "opacity-40" : ""} ${justFiled ? "motion-safe:animate-arrive" : ""}`}
      >
        {edge && (
          <span
            aria-hidden
            className={`absolute inset-x-0 h-0.5 rounded-full bg-accent ${edge === "top" ? "-top-1" : "-bottom-1"}`}
          />
        )}
        <Link
          id={cardElementId(card.id)}
          to="/tickets/$ticketId"
          params={{ ticketId: card.id }}
          search={filter}
          draggable={false}
          aria-describedby="card-keys"
          className="block pr-6 leading-5 wrap-anywhere outline-none after:absolute after:inset-0 after:rounded-lg focus-visible:after:outline-2 focus-visible:after:outline-offset-1 focus-visible:after:outline-accent"
        >
          <span dir="auto" className="line-clamp-3">
            {shownTitle(card.title)}
          </span>
        </Link>
        <IconButton
          label={`Move ${shownTitle(card.title)}`}
          aria-haspopup="menu"
          onClick={(event) => openMenu(card, event.currentTarget)}
          className="absolute top-1 right-1 size-7 focus-visible:opacity-100 md:opacity-0 md:group-focus-within/card:opacity-100 md:group-hover/card:opacity-100"
        >
          <Ellipsis aria-hidden className="size-4" />
        </IconButton>
        <CardFacts card={card} />
      </div>
    </li>
  );
});

function CardFacts({ card }: { card: Card }) {
  const { priority, author, dueAt, commentCount, assignee } = card;
  if (priority === "none" && author.kind === "person" && !dueAt && !commentCount && !assignee) return null;
  const overdue = dueAt !== null && dueAt < today();
  return (
    <div className="mt-1.5 flex h-5 items-center gap-2.5 text-xs text-muted">
      {priority !== "none" && <PriorityMark priority={priority} named />}
      {author.kind !== "person" && (
        <span
          title={`Filed by the ${author.kind === "app" ? "app" : "API token"} ${author.name}`}
          className="flex min-w-0 items-center gap-1"
        >
          {author.kind === "app" ? (
            <Smartphone aria-hidden className="size-3.5 shrink-0 text-accent-ink" />
          ) : (
            <KeyRound aria-hidden className="size-3.5 shrink-0 text-accent-ink" />
          )}
          <span className="sr-only">{author.kind === "app" ? "App" : "API token"}</span>
          <span className="truncate">{author.name}</span>
        </span>
      )}
      {dueAt && (
        <span className={`flex shrink-0 items-center gap-1 ${overdue ? "font-medium text-danger-ink" : ""}`}>
          <CalendarDays aria-hidden className="size-3.5" />
          <span className="sr-only">{overdue ? "Overdue since" : "Due"}</span>
          <Day date={dueAt} />
        </span>
      )}
      {commentCount > 0 && (
        <span className="flex shrink-0 items-center gap-1">
          <MessageSquare aria-hidden className="size-3.5" />
          {commentCount}
          <span className="sr-only">{commentCount === 1 ? "comment" : "comments"}</span>
        </span>
      )}
      {assignee && (
        <span className="ml-auto flex">
          <Avatar small name={assignee.name} isAgent={assignee.isAgent} />
          <span className="sr-only">Assigned to {assignee.name}</span>
        </span>
      )}
    </div>
  );
}
