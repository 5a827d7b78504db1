import { deleteColumn } from "@lodge/contract/calls.generated";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { boardQuery } from "../../api/queries.ts";
import { Choice } from "../../ui/choice.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { keepFocusAt } from "../../ui/keep-focus.ts";
import { Modal } from "../../ui/modal.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";

/** Deletes a column after asking where its cards, including archived ones, should move. */
export function DeleteColumnDialog({
  boardId,
  columnId,
  name,
  close,
}: {
  boardId: string;
  columnId: string;
  name: string;
  close: () => void;
}) {
  const board = useQuery(boardQuery(boardId, {})); // all cards, regardless of the board's filter
  const [chosen, setChosen] = useState<string>();
  const index = board.data?.columns.findIndex(({ id }) => id === columnId) ?? -1;
  const others = board.data?.columns.filter(({ id }) => id !== columnId) ?? [];
  const moveTo = chosen ?? others[Math.max(0, index - 1)]?.id;
  const count = board.data?.columns[index]?.cardCount ?? 0;
  const save = useMutation({
    mutationFn: () => call(deleteColumn, { params: { columnId }, query: moveTo ? { moveTo } : {} }),
    onSuccess: async () => {
      await Promise.all([fetchAfter({ kind: "projects.changed" }), fetchAfter({ kind: "board.changed", boardId })]);
      keepFocusAt("main h1");
      close();
    },
  });
  const what = count === 1 ? "1 card" : `${count.toLocaleString()} cards`;
  return (
    <Modal title={`Delete the column “${name}”?`} close={close}>
      {board.isPending && <Skeleton className="h-16" />}
      {board.isError && <LoadError error={board.error} retry={() => void board.refetch()} />}
      {board.data && moveTo && (
        <DialogForm
          save={save}
          submit={count > 0 ? "Move and delete" : "Delete the column"}
          look="danger"
          onSubmit={() => save.mutate()}
          close={close}
        >
          <p className="text-muted">
            {count > 0 ? `Its ${what} and its archived cards move to:` : "It has no cards. Its archived cards move to:"}
          </p>
          <Choice
            label={count > 0 ? `Move ${what} to` : "Move archived cards to"}
            options={others.map(({ id, name: label }) => ({ value: id, label }))}
            value={moveTo}
            onChange={setChosen}
            className="w-full"
          />
        </DialogForm>
      )}
    </Modal>
  );
}
