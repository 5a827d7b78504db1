import { deleteBoardView, saveBoardView } from "@lodge/contract/calls.generated";
import type { BoardSearch, BoardView } from "@lodge/contract/dashboard/boards";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Check, ListFilter, SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { call } from "../api/call.ts";
import { fetchAfter } from "../api/client.ts";
import { boardViewsQuery } from "../api/queries.ts";
import { useSession } from "../shell/use-session.ts";
import { Button } from "../ui/button.tsx";
import { MenuGroup, MenuItem, MenuLine } from "../ui/menu.tsx";
import { Modal } from "../ui/modal.tsx";
import { NameDialog } from "../ui/name-dialog.tsx";
import { FormError } from "../ui/notice.tsx";
import { tellDone } from "../ui/toasts.tsx";

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
            It is yours alone, in the menu of the board and in the search. One of the same name is replaced.
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
          Forget views
        </MenuItem>
      </MenuGroup>
      <MenuLine />
    </>
  );
}

/** The saved views of a board, each with a way to forget it. */
export function ViewsDialog({ boardId, close }: { boardId: string; close: () => void }) {
  const views = useViews(boardId);
  const { user } = useSession();
  const forget = useMutation({
    mutationFn: (viewId: string) =>
      call(deleteBoardView, { params: { viewId } }).then(() => fetchAfter({ kind: "views.changed", userId: user.id })),
  });
  return (
    <Modal title="Views of this board" close={close}>
      <FormError error={forget.error} />
      {views.length === 0 && <p className="text-muted">None. Set a filter to save one.</p>}
      {/* biome-ignore lint/a11y/noRedundantRoles: without bullets, Safari no longer takes it for a list */}
      <ul role="list" className="divide-y divide-line">
        {views.map(({ id, name }) => (
          <li key={id} className="flex items-center gap-3 py-2">
            <span dir="auto" className="min-w-0 flex-1 truncate">
              {name}
            </span>
            <Button
              small
              aria-label={`Forget ${name}`}
              busy={forget.isPending && forget.variables === id}
              onClick={() => forget.mutate(id)}
            >
              Forget
            </Button>
          </li>
        ))}
      </ul>
    </Modal>
  );
}
