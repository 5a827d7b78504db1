import { createColumn } from "@lodge/contract/calls.generated";
import { Plus } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { NameDialog } from "../../ui/name-dialog.tsx";

/** The narrow placeholder right of the columns that adds a column. */
export function AddColumn({ boardId }: { boardId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        aria-label="Add column"
        title="Add column"
        onClick={() => setOpen(true)}
        className="flex w-11 shrink-0 flex-col items-center gap-3 self-stretch rounded-xl border border-dashed border-line-strong/60 pt-3.5 text-muted transition-colors duration-100 hover:bg-sunken hover:text-ink"
      >
        <Plus aria-hidden className="size-4 shrink-0" />
        <span aria-hidden className="text-sm [writing-mode:vertical-rl]">
          Add column
        </span>
      </button>
      {open && (
        <NameDialog
          title="Add column"
          submit="Add column"
          act={async (name) => {
            await call(createColumn, { body: { boardId, name } });
            await fetchAfter({ kind: "board.changed", boardId });
          }}
          close={() => setOpen(false)}
        />
      )}
    </>
  );
}
