import type { BoardSearch } from "@lodge/contract/dashboard/boards";
import { useNavigate } from "@tanstack/react-router";
import { Archive, ChartColumn, Ellipsis, Rows3, Sheet, Terminal, TimerReset, Trash2 } from "lucide-react";
import { lazy, memo, Suspense, useState } from "react";
import { keepLoading } from "../../api/keep-loading.ts";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { IconButton } from "../../ui/button.tsx";
import { chooseCompact, useCompact } from "../../ui/density.ts";
import { DropMenu, MenuItem } from "../../ui/menu.tsx";
import type { BoardDialogName } from "./board-dialogs.tsx";
import { ViewsItem } from "./board-views.tsx";

const BoardDialog = lazy(() =>
  keepLoading(() => import("./board-dialogs.tsx")).then((dialogs) => ({ default: dialogs.BoardDialog })),
);

/** The menu of a whole board: saved views, archived cards, retention of done cards, ids for the API. */
export const BoardMenu = memo(function BoardMenu({ board, search }: { board: LoadedBoard; search: BoardSearch }) {
  const [open, setOpen] = useState<BoardDialogName>();
  const close = () => setOpen(undefined);
  const compact = useCompact();
  const navigate = useNavigate();
  return (
    <>
      <DropMenu
        trigger={
          <IconButton label="Actions for this board">
            <Ellipsis aria-hidden className="size-4" />
          </IconButton>
        }
      >
        <ViewsItem boardId={board.id} manage={() => setOpen("views")} />
        <MenuItem onClick={() => chooseCompact(!compact)}>
          <Rows3 aria-hidden className="size-4" />
          {compact ? "Show full cards" : "Show compact cards"}
        </MenuItem>
        <MenuItem onClick={() => void navigate({ to: "/boards/$boardId/insights", params: { boardId: board.id } })}>
          <ChartColumn aria-hidden className="size-4" />
          Insights
        </MenuItem>
        <MenuItem onClick={() => setOpen("archive")}>
          <Archive aria-hidden className="size-4" />
          Archived cards
        </MenuItem>
        <MenuItem onClick={() => setOpen("trash")}>
          <Trash2 aria-hidden className="size-4" />
          Trash
        </MenuItem>
        <MenuItem onClick={() => setOpen("done")}>
          <TimerReset aria-hidden className="size-4" />
          Archive done cards
        </MenuItem>
        <MenuItem onClick={() => setOpen("csv")}>
          <Sheet aria-hidden className="size-4" />
          Import or export CSV
        </MenuItem>
        <MenuItem onClick={() => setOpen("api")}>
          <Terminal aria-hidden className="size-4" />
          Use in the API
        </MenuItem>
      </DropMenu>
      {open && (
        <Suspense>
          <BoardDialog open={open} board={board} search={search} close={close} />
        </Suspense>
      )}
    </>
  );
});
