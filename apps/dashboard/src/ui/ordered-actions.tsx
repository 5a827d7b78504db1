import { useQueryClient } from "@tanstack/react-query";
import { ArrowDown, ArrowUp, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { request } from "../api/request.ts";
import { IconButton } from "../ui/button.tsx";
import { DropMenu, MenuItem, MenuLine } from "../ui/menu.tsx";
import { Confirm } from "../ui/modal.tsx";
import { NameDialog } from "../ui/name-dialog.tsx";
import { tellFailed } from "../ui/toasts.tsx";

/** What can be done with a project or a board: rename it, move it among its siblings, delete it while it is empty. */
export function OrderedActions({
  what,
  name,
  path,
  index,
  count,
  deleting,
}: {
  what: "project" | "board";
  name: string;
  path: string;
  index: number;
  count: number;
  deleting: string;
}) {
  const queryClient = useQueryClient();
  const [open, setOpen] = useState<"rename" | "delete">();
  const reload = () =>
    Promise.all(["projects", "board"].map((kind) => queryClient.invalidateQueries({ queryKey: [kind] })));
  const change = async (body: { name: string } | { index: number }) => {
    await request("PATCH", path, body);
    await reload();
  };
  const moveBy = (step: number) =>
    change({ index: index + step }).catch((error: unknown) => tellFailed(`“${name}” was not moved`, error));
  return (
    <>
      <DropMenu
        trigger={
          <IconButton label={`Actions for the ${what} ${name}`}>
            <Ellipsis aria-hidden className="size-4" />
          </IconButton>
        }
      >
        <MenuItem onClick={() => setOpen("rename")}>
          <Pencil aria-hidden className="size-4" />
          Rename
        </MenuItem>
        <MenuItem disabled={index === 0} onClick={() => void moveBy(-1)}>
          <ArrowUp aria-hidden className="size-4" />
          Move up
        </MenuItem>
        <MenuItem disabled={index === count - 1} onClick={() => void moveBy(1)}>
          <ArrowDown aria-hidden className="size-4" />
          Move down
        </MenuItem>
        <MenuLine />
        <MenuItem danger onClick={() => setOpen("delete")}>
          <Trash2 aria-hidden className="size-4" />
          Delete
        </MenuItem>
      </DropMenu>
      {open === "rename" && (
        <NameDialog
          title={`Rename the ${what}`}
          name={name}
          submit="Rename"
          act={(wanted) => change({ name: wanted })}
          close={() => setOpen(undefined)}
        />
      )}
      {open === "delete" && (
        <Confirm
          title={`Delete the ${what} “${name}”?`}
          confirm={`Delete the ${what}`}
          act={async () => {
            await request("DELETE", path);
            await queryClient.invalidateQueries({ queryKey: ["projects"] });
          }}
          close={() => setOpen(undefined)}
        >
          {deleting}
        </Confirm>
      )}
    </>
  );
}
