import { changeBoardView, deleteBoardView, saveBoardView } from "@lodge/contract/calls.generated";
import type { BoardSearch, BoardView, ChangeBoardView } from "@lodge/contract/dashboard/boards";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Check, ListFilter, SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { boardViewsQuery } from "../../api/queries.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { MenuGroup, MenuItem, MenuLine } from "../../ui/menu.tsx";
import { Modal } from "../../ui/modal.tsx";
import { NameDialog } from "../../ui/name-dialog.tsx";
import { FormError } from "../../ui/notice.tsx";
import { tellDone } from "../../ui/toasts.tsx";

/** The views that the person has saved of a board, by name. */
function useViews(boardId: string): BoardView[] {
  const { data: views = [] } = useQuery(boardViewsQuery);
  return views.filter((view) => view.boardId === boardId);
}

const isSame = (one: BoardSearch, other: BoardSearch) => {
  const words = (search: BoardSearch) => JSON.stringify(Object.entries(search).sort());
  return words(one) === words(other);
};

/** Offers to keep the filter that is set under a name, unless it is kept. */
export function SaveView({ boardId, search }: { boardId: string; search: BoardSearch }) {
  const [naming, setNaming] = useState(false);
  const views = useViews(boardId);
  const { user } = useSession();
  if (views.some(({ filter }) => isSame(filter, search))) return null;
  const save = async (name: string) => {
    await call(saveBoardView, { params: { boardId }, body: { name, filter: search } });
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
          <p className="text-sm text-muted">
            Only you see it: in the menu of the board and in the search. A view of the same name is replaced.
          </p>
        </NameDialog>
      )}
    </>
  );
}

/** The saved views of a board as items of its menu; nothing without any. */
export function ViewItems({ boardId, search, manage }: { boardId: string; search: BoardSearch; manage: () => void }) {
  const views = useViews(boardId);
  const navigate = useNavigate();
  if (views.length === 0) return null;
  return (
    <>
      <MenuGroup label="Views">
        {views.map(({ id, name, filter }) => (
          <MenuItem
            key={id}
            onClick={() => void navigate({ to: "/boards/$boardId", params: { boardId }, search: filter })}
          >
            <ListFilter aria-hidden className="size-4" />
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {name}
            </span>
            {isSame(filter, search) && (
              <>
                <Check aria-hidden className="size-4" />
                <span className="sr-only">shown</span>
              </>
            )}
          </MenuItem>
        ))}
        <MenuItem onClick={manage}>
          <SlidersHorizontal aria-hidden className="size-4" />
          Manage views
        </MenuItem>
      </MenuGroup>
      <MenuLine />
    </>
  );
}

/** The saved views of a board, each with ways to rename it, to give it the filter that is set, and to forget it. */
export function ViewsDialog({ boardId, search, close }: { boardId: string; search: BoardSearch; close: () => void }) {
  const views = useViews(boardId);
  const { user } = useSession();
  const [renamed, setRenamed] = useState<BoardView>();
  const change = useMutation({
    mutationFn: async ({ view: { id: viewId, name }, body }: { view: BoardView; body?: ChangeBoardView }) => {
      await (body
        ? call(changeBoardView, { params: { viewId }, body })
        : call(deleteBoardView, { params: { viewId } }));
      await fetchAfter({ kind: "views.changed", userId: user.id });
      if (body) tellDone(`“${body.name ?? name}” saved`);
    },
  });
  if (renamed) {
    return (
      <NameDialog
        title={`Rename “${renamed.name}”`}
        name={renamed.name}
        submit="Rename"
        act={(name) => change.mutateAsync({ view: renamed, body: { name } })}
        close={() => setRenamed(undefined)}
      />
    );
  }
  const isSet = Object.keys(search).length > 0;
  const underWay = (view: BoardView, isUpdate: boolean) =>
    change.isPending && change.variables.view.id === view.id && (change.variables.body !== undefined) === isUpdate;
  return (
    <Modal title="Views of this board" close={close}>
      <FormError error={change.error} />
      {views.length === 0 && <p className="text-muted">No views yet. Set a filter to save one.</p>}
      {/* biome-ignore lint/a11y/noRedundantRoles: without bullets, Safari no longer takes it for a list */}
      <ul role="list" className="divide-y divide-line">
        {views.map((view) => (
          <li key={view.id} className="flex flex-wrap items-center gap-1 py-2">
            <span dir="auto" className="min-w-32 flex-1 truncate">
              {view.name}
            </span>
            <div className="flex">
              {isSet && !isSame(view.filter, search) && (
                <Button
                  small
                  look="quiet"
                  aria-label={`Update ${view.name} to the current filter`}
                  title="Save the current filter in it"
                  busy={underWay(view, true)}
                  onClick={() => change.mutate({ view, body: { filter: search } })}
                >
                  Update
                </Button>
              )}
              <Button small look="quiet" aria-label={`Rename ${view.name}`} onClick={() => setRenamed(view)}>
                Rename
              </Button>
              <Button
                small
                look="quiet"
                aria-label={`Delete ${view.name}`}
                busy={underWay(view, false)}
                onClick={() => change.mutate({ view })}
              >
                Delete
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
