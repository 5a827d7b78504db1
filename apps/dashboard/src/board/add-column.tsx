import type { CreateColumn } from "@lodge/contract/dashboard/boards";
import { useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { request } from "../api/request.ts";
import { Button } from "../ui/button.tsx";
import { NameDialog } from "../ui/name-dialog.tsx";

/** Adds a column on the right of a board. */
export function AddColumn({ boardId }: { boardId: string }) {
  const [open, setOpen] = useState(false);
  const queryClient = useQueryClient();
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
            await request("POST", "columns", { boardId, name } satisfies CreateColumn);
            await queryClient.invalidateQueries({ queryKey: ["board", boardId] });
          }}
          close={() => setOpen(false)}
        />
      )}
    </div>
  );
}
