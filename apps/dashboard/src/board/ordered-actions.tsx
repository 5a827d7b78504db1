import { listBoardSubscribers, listProjectSubscribers } from "@lodge/contract/calls.generated";
import type { DeletionQuery } from "@lodge/contract/dashboard/boards";
import { useQuery } from "@tanstack/react-query";
import { ArrowDown, ArrowLeft, ArrowRight, ArrowUp, Ellipsis, Pencil, Terminal, Trash2 } from "lucide-react";
import { type ReactNode, Suspense, useState } from "react";
import { fetchAfter } from "../api/client.ts";
import { query } from "../api/query.ts";
import { ApiDialog } from "../ui/api-dialog.tsx";
import { IconButton } from "../ui/button.tsx";
import type { TicketBody } from "../ui/curl.ts";
import { keepFocusAt } from "../ui/keep-focus.ts";
import { DropMenu, MenuItem, MenuLine } from "../ui/menu.tsx";
import { Confirm } from "../ui/modal.tsx";
import { NameDialog } from "../ui/name-dialog.tsx";
import { tellFailed } from "../ui/toasts.tsx";

const downwards = { Back: ArrowUp, back: "Move up", Forth: ArrowDown, forth: "Move down" };
const sideways = { Back: ArrowLeft, back: "Move left", Forth: ArrowRight, forth: "Move right" };

/**
 * The menu of an item in an ordered list: rename, move, and delete while empty. `deletion` says when it can be deleted,
 * or shows its own dialog; a board's last column cannot be deleted. `ids` are its ids in the API; `children` adds
 * items.
 */
export function OrderedActions({
  what,
  name,
  change,
  deletion,
  index,
  count,
  ids,
  className = "",
  children,
}: {
  what: "project" | "board" | "column";
  name: string;
  change: (change: { name: string } | { index: number }) => Promise<unknown>;
  /** Deletes it, optionally with the subscribers that create cards on it. */
  deletion:
    | { says: string; remove: (query: DeletionQuery) => Promise<unknown> }
    | { ask: (close: () => void) => ReactNode };
  index: number;
  count: number;
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
    done(change({ index: index + step })).catch((error: unknown) => tellFailed(`“${name}” could not be moved`, error));
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
      {open === "delete" && "ask" in deletion && <Suspense>{deletion.ask(() => setOpen(undefined))}</Suspense>}
      {open === "delete" && "says" in deletion && (
        <DeleteDialog
          what={what}
          name={name}
          ids={ids}
          deleting={deletion.says}
          remove={async (query) => {
            await done(deletion.remove(query));
            keepFocusAt("main h1");
          }}
          close={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

/** Asks before deleting, and names the apps whose reports create cards on it. */
function DeleteDialog({
  what,
  name,
  ids: { projectId = "", boardId },
  deleting,
  remove,
  close,
}: {
  what: string;
  name: string;
  ids: TicketBody;
  deleting: string;
  remove: (query: DeletionQuery) => Promise<unknown>;
  close: () => void;
}) {
  const ofBoard = useQuery({
    ...query(listBoardSubscribers, { params: { boardId: boardId ?? "" } }),
    enabled: what === "board",
  });
  const ofProject = useQuery({
    ...query(listProjectSubscribers, { params: { projectId } }),
    enabled: what === "project",
  });
  const filing = (what === "board" ? ofBoard : ofProject).data?.subscribers ?? [];
  const apps = [...new Set(filing.map(({ app }) => app))];
  const namesOf = (names: string[]) => new Intl.ListFormat(undefined).format(names.map((each) => `“${each}”`));
  return (
    <Confirm
      title={`Delete the ${what} “${name}”?`}
      confirm={filing.length > 0 ? `Delete the ${what} and its subscribers` : `Delete the ${what}`}
      act={() => remove(filing.length > 0 ? { subscribers: "delete" } : {})}
      close={close}
    >
      {deleting}
      {filing.length > 0 && (
        <span className="mt-2 block rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          Reports from {apps.length === 1 ? "the app" : "the apps"} {namesOf(apps)} create cards on it. Deleting it also
          deletes the subscribers that create them, so new reports no longer create cards.
        </span>
      )}
    </Confirm>
  );
}
