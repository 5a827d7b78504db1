import type { BoardSearch } from "@lodge/contract/dashboard/boards";
import { Link, useNavigate } from "@tanstack/react-router";
import { Columns3, List, Plus } from "lucide-react";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { Button } from "../../ui/button.tsx";
import { useHeadingFocus } from "../../ui/page-heading.tsx";
import { ActiveFilters, BoardFilters } from "./board-filters.tsx";
import { BoardMenu } from "./board-menu.tsx";
import { ViewTabs } from "./board-views.tsx";
import { FavouriteButton } from "./favourite-button.tsx";
import { filtersOf, layoutOf } from "./to-filter.ts";

/** The bar above the cards of a board, in both layouts. */
export function BoardHeader({
  board,
  search,
  hidden,
  isCovered,
  write,
}: {
  board: LoadedBoard;
  search: BoardSearch;
  /** The title of the card filed last, if the filter hides it. */
  hidden: string | undefined;
  isCovered: () => boolean;
  /** Opens the new-card form. */
  write: () => void;
}) {
  const heading = useHeadingFocus(isCovered);
  return (
    <>
      {/* Stacked above the columns, so that hit testing finds its buttons before it goes through every card. */}
      <div className="@container relative z-10 flex flex-wrap items-center gap-2 border-b border-line px-4 py-3 md:px-6">
        <h1
          ref={heading}
          tabIndex={-1}
          className="flex min-w-0 grow items-baseline gap-2 text-md font-semibold @max-2xl:basis-full"
        >
          <span dir="auto" className="truncate">
            {board.name}
          </span>
          <span className="truncate text-sm font-normal text-muted">{board.project.name}</span>
        </h1>
        <FavouriteButton boardId={board.id} />
        <LayoutSwitch search={search} />
        <BoardFilters search={search} />
        <Button look="primary" title="New card (C)" aria-keyshortcuts="c" onClick={write}>
          <Plus aria-hidden className="size-4" />
          <span className="@max-2xl:sr-only">New card</span>
          <kbd aria-hidden className="font-sans text-xs font-normal @max-2xl:hidden">
            C
          </kbd>
        </Button>
        <BoardMenu board={board} search={search} />
        <div className="order-last flex w-full min-w-0 flex-col gap-2 empty:hidden">
          <ViewTabs boardId={board.id} search={search} />
          <ActiveFilters boardId={board.id} search={search} />
        </div>
      </div>
      <div role="status">
        {hidden && (
          <p className="flex flex-wrap items-center justify-center gap-x-2 border-b border-line bg-sunken px-4 py-1.5 text-sm">
            <span className="min-w-0 truncate">“{hidden}” was added, but the current filter hides it.</span>
            <Link to="." search={layoutOf(search)} className="font-medium text-accent-ink underline">
              Show all cards
            </Link>
          </p>
        )}
      </div>
    </>
  );
}

const layouts = [
  { view: undefined, name: "Board", icon: Columns3 },
  { view: "list", name: "List", icon: List },
] as const;

/** Switches between columns and list. Kept in the URL like the filters. */
function LayoutSwitch({ search }: { search: BoardSearch }) {
  const navigate = useNavigate();
  const show = (view: "list" | undefined) =>
    void navigate({ to: ".", search: { ...filtersOf(search), ...(view && { view }) }, replace: true });
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div role="group" aria-label="Layout" className="flex rounded-md border border-line-strong/60 p-px">
      {layouts.map(({ view, name, icon: Icon }) => (
        <button
          key={name}
          type="button"
          title={name}
          aria-pressed={search.view === view}
          onClick={() => search.view !== view && show(view)}
          className="flex h-7 items-center gap-1.5 rounded-sm px-2 text-sm text-muted hover:text-ink aria-pressed:bg-hover aria-pressed:font-medium aria-pressed:text-ink"
        >
          <Icon aria-hidden className="size-4" />
          <span className="@max-5xl:sr-only">{name}</span>
        </button>
      ))}
    </div>
  );
}
