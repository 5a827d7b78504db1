import { createColumn } from "@lodge/contract/calls.generated";
import { Plus } from "lucide-react";
import { useState } from "react";
import { call } from "../api/call.ts";
import { fetchAfter } from "../api/client.ts";
import { Button } from "../ui/button.tsx";
import { NameDialog } from "../ui/name-dialog.tsx";

/** Adds a column on the right of a board. */
export function AddColumn({ boardId }: { boardId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="shrink-0">
      <Button look="quiet" className="h-11" onClick={() => setOpen(true)}>
        <Plus aria-hidden className="size-4" />
        Add a column
      </Button>
      {open && (
        <NameDialog
          title="Add a column"
          submit="Add the column"
          act={async (name) => {
            await call(createColumn, { body: { boardId, name } });
            await fetchAfter({ kind: "board.changed", boardId });
          }}
          close={() => setOpen(false)}
        />
      )}
    </div>
  );
}
