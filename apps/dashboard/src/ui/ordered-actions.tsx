import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Ellipsis, Pencil, Terminal, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { fetchAfter } from "../api/client.ts";
import { ApiDialog } from "./api-dialog.tsx";
import { IconButton } from "./button.tsx";
import type { TicketBody } from "./curl.ts";
import { DropMenu, MenuItem, MenuLine } from "./menu.tsx";
import { Confirm } from "./modal.tsx";
import { NameDialog } from "./name-dialog.tsx";
import { tellFailed } from "./toasts.tsx";

const downwards = { Back: ArrowUp, back: "Move up", Forth: ArrowDown, forth: "Move down" };
const sideways = { Back: ArrowLeft, back: "Move left", Forth: ArrowRight, forth: "Move right" };

/**
 * What can be done with a thing that has a place among its siblings: rename it, move it, delete it while it is empty.
 * `deleting` says when it can be; a board's last column never. `ids` are those by which the API finds it; `children` is
 * what else there is to do.
 */
export function OrderedActions({
  what,
  name,
  change,
  remove,
  index,
  count,
  deleting,
  ids,
  className = "",
  children,
}: {
  what: "project" | "board" | "column";
  name: string;
  change: (change: { name: string } | { index: number }) => Promise<unknown>;
  remove: () => Promise<unknown>;
  index: number;
  count: number;
  deleting: string;
  ids: TicketBody;
  className?: string;
  children?: ReactNode;
}) {
  const { Back, back, Forth, forth } = what === "column" ? sideways : downwards;
  const [open, setOpen] = useState<"rename" | "api" | "delete">();
  const done = async (sent: Promise<unknown>) => {
    await sent;
    await fetchAfter({ kind: "projects.changed" });
  };
  const moveBy = (step: number) =>
    done(change({ index: index + step })).catch((error: unknown) => tellFailed(`“${name}” was not moved`, error));
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
        {children}
        <MenuItem onClick={() => setOpen("api")}>
          <Terminal aria-hidden className="size-4" />
          Use in the API
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
          act={(wanted) => done(change({ name: wanted }))}
          close={() => setOpen(undefined)}
        />
      )}
      {open === "api" && <ApiDialog name={name} field={`${what}Id`} body={ids} close={() => setOpen(undefined)} />}
      {open === "delete" && (
        <Confirm
          title={`Delete the ${what} “${name}”?`}
          confirm={`Delete the ${what}`}
          act={() => done(remove())}
          close={() => setOpen(undefined)}
        >
          {deleting}
        </Confirm>
      )}
    </>
  );
}
