import { useQueryClient } from "@tanstack/react-query";
import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import { request } from "../api/request.ts";
import { IconButton } from "./button.tsx";
import { DropMenu, MenuItem, MenuLine } from "./menu.tsx";
import { Confirm } from "./modal.tsx";
import { NameDialog } from "./name-dialog.tsx";
import { tellFailed } from "./toasts.tsx";

const downwards = { Back: ArrowUp, back: "Move up", Forth: ArrowDown, forth: "Move down" };
const sideways = { Back: ArrowLeft, back: "Move left", Forth: ArrowRight, forth: "Move right" };

/**
 * What can be done with a thing that has a place among its siblings: rename it, move it, delete it while it is empty.
 * `deleting` says when it can be; a board's last column never.
 */
export function OrderedActions({
  what,
  name,
  path,
  index,
  count,
  deleting,
  className = "",
}: {
  what: "project" | "board" | "column";
  name: string;
  path: string;
  index: number;
  count: number;
  deleting: string;
  className?: string;
}) {
  const { Back, back, Forth, forth } = what === "column" ? sideways : downwards;
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
          <IconButton label={`Actions for the ${what} ${name}`} className={className}>
            <Ellipsis aria-hidden className="size-4" />
          </IconButton>
        }
      >
        <MenuItem onClick={() => setOpen("rename")}>
          <Pencil aria-hidden className="size-4" />
          Rename
        </MenuItem>
        <MenuItem disabled={index === 0} onClick={() => void moveBy(-1)}>
          <Back aria-hidden className="size-4" />
          {back}
        </MenuItem>
        <MenuItem disabled={index === count - 1} onClick={() => void moveBy(1)}>
          <Forth aria-hidden className="size-4" />
          {forth}
        </MenuItem>
        <MenuLine />
        <MenuItem danger disabled={what === "column" && count === 1} onClick={() => setOpen("delete")}>
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
            await reload();
          }}
          close={() => setOpen(undefined)}
        >
          {deleting}
        </Confirm>
      )}
    </>
  );
}
