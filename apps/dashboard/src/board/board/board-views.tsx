import { saveBoardView } from "@lodge/contract/calls.generated";
import type { BoardSearch, BoardView } from "@lodge/contract/dashboard/boards";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { SlidersHorizontal, Users } from "lucide-react";
import { type ReactNode, useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { boardViewsQuery } from "../../api/queries.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { MenuItem } from "../../ui/menu.tsx";
import { NameDialog } from "../../ui/name-dialog.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { layoutOf } from "./to-filter.ts";

/** The person's own and the shared views of a board, sorted by name. */
export function useViews(boardId: string): BoardView[] {
  const { data } = useQuery(boardViewsQuery);
  return (data?.views ?? []).filter((view) => view.boardId === boardId);
}

/** Whether two filters are the same. */
export const isSame = (one: BoardSearch, other: BoardSearch) => {
  const words = (search: BoardSearch) => JSON.stringify(Object.entries(search).sort());
  return words(one) === words(other);
};

/** A button that saves the current filter as a view, unless such a view exists. */
export function SaveView({ boardId, search }: { boardId: string; search: BoardSearch }) {
  const [naming, setNaming] = useState(false);
  const isShared = useRef(false);
  const views = useViews(boardId);
  const { user } = useSession();
  if (views.some(({ filter }) => isSame(filter, search))) return null;
  const save = async (name: string) => {
    await call(saveBoardView, { params: { boardId }, body: { name, filter: search, shared: isShared.current } });
    await fetchAfter({ kind: "views.changed", userId: user.id });
    tellDone(`“${name}” saved`);
  };
  return (
    <>
      <Button small look="quiet" className="h-6 text-xs" onClick={() => setNaming(true)}>
        Save as a view
      </Button>
      {naming && (
        <NameDialog title="Save as a view" submit="Save" act={save} close={() => setNaming(false)}>
          <label className="flex items-center gap-2">
            <input
              type="checkbox"
              onChange={(event) => {
                isShared.current = event.target.checked;
              }}
            />
            Share with the organisation
          </label>
          <p className="text-sm text-muted">
            The view appears as a tab above the board and in search. It replaces your own view with the same name.
          </p>
        </NameDialog>
      )}
    </>
  );
}

const tabClass =
  "flex h-7 max-w-48 shrink-0 items-center gap-1.5 rounded-md px-2 text-sm text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink";

/** The views of a board as tabs above it, after the tab with all cards. Renders nothing without views. */
export function ViewTabs({ boardId, search }: { boardId: string; search: BoardSearch }) {
  const views = useViews(boardId);
  if (views.length === 0) return null;
  const tab = (key: string, filter: BoardSearch, children: ReactNode) => (
    <Link
      key={key}
      to="/boards/$boardId"
      params={{ boardId }}
      search={filter}
      activeOptions={{ exact: true, includeSearch: true }}
      className={tabClass}
      {...(isSame(filter, search) && { "aria-current": "page" as const })}
    >
      {children}
    </Link>
  );
  return (
    <nav aria-label="Views" className="flex w-full gap-1 overflow-x-auto">
      {tab("all", layoutOf(search), "All cards")}
      {views.map(({ id, name, filter, shared }) =>
        tab(
          id,
          filter,
          <>
            <span dir="auto" className="truncate">
              {name}
            </span>
            {shared && (
              <>
                <Users aria-hidden className="size-3.5 shrink-0" />
                <span className="sr-only">shared</span>
              </>
            )}
          </>,
        ),
      )}
    </nav>
  );
}

/** The menu item that manages the views of a board. Renders nothing without views. */
export function ViewsItem({ boardId, manage }: { boardId: string; manage: () => void }) {
  return useViews(boardId).length === 0 ? null : (
    <MenuItem onClick={manage}>
      <SlidersHorizontal aria-hidden className="size-4" />
      Manage views
    </MenuItem>
  );
}
