import type { Board, ChangeColumn } from "@lodge/contract/dashboard/boards";
import { useQueryClient } from "@tanstack/react-query";
import { ArrowLeft, ArrowRight, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { request } from "../api/request.ts";
import { IconButton } from "../ui/button.tsx";
import { DropMenu, MenuItem, MenuLine } from "../ui/menu.tsx";
import { Confirm } from "../ui/modal.tsx";
import { NameDialog } from "../ui/name-dialog.tsx";
import { tellFailed } from "../ui/toasts.tsx";

/** What can be done with a column: rename it, move it, delete it while it is empty. */
export function ColumnMenu({
  board,
  column,
  index,
}: {
  board: Board;
  column: Board["columns"][number];
  index: number;
}) {
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<"rename" | "delete">();
  const path = `columns/${encodeURIComponent(column.id)}`;
  const reload = () => queryClient.invalidateQueries({ queryKey: ["board", board.id] });
  const change = async (body: ChangeColumn) => {
    await request("PATCH", path, body);
    await reload();
  };
  const moveBy = (step: number) =>
    change({ index: index + step }).catch((error: unknown) => tellFailed(`“${column.name}” was not moved`, error));
  return (
    <>
      <DropMenu
        trigger={
          <IconButton label={`Column ${column.name}`} className="size-7">
            <Ellipsis aria-hidden className="size-4" />
          </IconButton>
        }
      >
        <MenuItem onClick={() => setOpen("rename")}>
          <Pencil aria-hidden className="size-4" />
          Rename
        </MenuItem>
        <MenuItem disabled={index === 0} onClick={() => void moveBy(-1)}>
          <ArrowLeft aria-hidden className="size-4" />
          Move left
        </MenuItem>
        <MenuItem disabled={index === board.columns.length - 1} onClick={() => void moveBy(1)}>
          <ArrowRight aria-hidden className="size-4" />
          Move right
        </MenuItem>
        <MenuLine />
        <MenuItem danger disabled={board.columns.length === 1} onClick={() => setOpen("delete")}>
          <Trash2 aria-hidden className="size-4" />
          Delete
        </MenuItem>
      </DropMenu>
      {open === "rename" && (
        <NameDialog
          title="Rename the column"
          name={column.name}
          submit="Rename"
          act={(name) => change({ name })}
          close={() => setOpen(undefined)}
        />
      )}
      {open === "delete" && (
        <Confirm
          title={`Delete “${column.name}”?`}
          confirm="Delete the column"
          act={async () => {
            await request("DELETE", path);
            await reload();
          }}
          close={() => setOpen(undefined)}
        >
          Only a column without cards can be deleted.
        </Confirm>
      )}
    </>
  );
}
