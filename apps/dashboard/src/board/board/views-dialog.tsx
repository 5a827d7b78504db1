import { changeBoardView, deleteBoardView } from "@lodge/contract/calls.generated";
import type { BoardSearch, BoardView, ChangeBoardView } from "@lodge/contract/dashboard/boards";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/modal.tsx";
import { NameDialog } from "../../ui/name-dialog.tsx";
import { FormError } from "../../ui/notice.tsx";
import { tellDone } from "../../ui/toasts.tsx";
import { isSame, useViews } from "./board-views.tsx";

/** The views of a board, each with buttons to rename, share, update and delete it. */
export function ViewsDialog({ boardId, search, close }: { boardId: string; search: BoardSearch; close: () => void }) {
  const views = useViews(boardId);
  const { user, organisation } = useSession();
  const mayChange = ({ isOwn }: BoardView) => isOwn || organisation.role !== "member";
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
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" className="divide-y divide-line">
        {views.map((view) => (
          <li key={view.id} className="flex flex-wrap items-center gap-1 py-2">
            <span dir="auto" className="min-w-32 flex-1 truncate">
              {view.name}
              {view.shared && <span className="text-muted"> (shared)</span>}
            </span>
            <div className={mayChange(view) ? "flex" : "hidden"}>
              <Button
                small
                look="quiet"
                aria-label={view.shared ? `Stop sharing ${view.name}` : `Share ${view.name}`}
                onClick={() => change.mutate({ view, body: { shared: !view.shared } })}
              >
                {view.shared ? "Stop sharing" : "Share"}
              </Button>
              {isSet && !isSame(view.filter, search) && (
                <Button
                  small
                  look="quiet"
                  aria-label={`Update ${view.name} to the current filter`}
                  title="Save the current filter in this view"
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
