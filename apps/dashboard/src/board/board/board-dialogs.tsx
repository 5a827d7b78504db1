import { changeBoard, changeTickets } from "@lodge/contract/calls.generated";
import type { BoardSearch } from "@lodge/contract/dashboard/boards";
import { useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { archiveQuery } from "../../api/queries.ts";
import { useSession } from "../../session/use-session.ts";
import { ApiDialog } from "../../ui/api-dialog.tsx";
import { Button } from "../../ui/button.tsx";
import { Choice } from "../../ui/choice.tsx";
import { Modal } from "../../ui/modal.tsx";
import { MoreButton } from "../../ui/more-button.tsx";
import { FormError, LoadError } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { shownTitle } from "../../ui/visible-text.ts";
import { CsvDialog } from "../csv/csv-dialog.tsx";
import { offerUndo } from "../ticket/undo.ts";
import { TrashDialog } from "../trash/trash-dialog.tsx";
import { toFilter } from "./to-filter.ts";
import { ViewsDialog } from "./views-dialog.tsx";

/** The dialogs of a board's menu. */
export type BoardDialogName = "views" | "archive" | "trash" | "done" | "csv" | "api";

/** The open dialog of a board's menu. */
export function BoardDialog({
  open,
  board,
  search,
  close,
}: {
  open: BoardDialogName;
  board: LoadedBoard;
  search: BoardSearch;
  close: () => void;
}) {
  const { user } = useSession();
  switch (open) {
    case "views":
      return <ViewsDialog boardId={board.id} search={search} close={close} />;
    case "archive":
      return <ArchiveDialog boardId={board.id} close={close} />;
    case "trash":
      return <TrashDialog project={board.project} close={close} />;
    case "done":
      return <DoneCardsDialog board={board} close={close} />;
    case "csv":
      return <CsvDialog board={board} filter={toFilter(search, user.id)} close={close} />;
    case "api":
      return (
        <ApiDialog
          name={board.name}
          field="boardId"
          body={{ projectId: board.project.id, boardId: board.id }}
          close={close}
        />
      );
  }
}

/** The archived cards of the board, each with a button that restores it. */
function ArchiveDialog({ boardId, close }: { boardId: string; close: () => void }) {
  const archive = useInfiniteQuery(archiveQuery(boardId));
  const restore = useMutation({
    mutationFn: (ticketId: string) => call(changeTickets, { body: { changes: [{ ticketId, archived: false }] } }),
    onSuccess: ({ undo }) => {
      offerUndo("Restored to its board", undo, { boardId });
      return archive.refetch();
    },
  });
  const cards = archive.data?.pages.flatMap((page) => page.cards) ?? [];
  return (
    <Modal title="Archived cards" close={close}>
      {archive.isPending && <Skeleton className="h-16" />}
      {archive.isError && <LoadError error={archive.error} retry={() => void archive.refetch()} />}
      <FormError error={restore.error} />
      {archive.data && cards.length === 0 && (
        <p className="text-muted">No archived cards. Cards that are archived leave the board and appear here.</p>
      )}
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" className="divide-y divide-line">
        {cards.map(({ id, number, title, archivedAt }) => (
          <li key={id} className="flex items-center gap-3 py-2">
            <p className="min-w-0 flex-1">
              <Link
                to="/tickets/$ticketId"
                params={{ ticketId: id }}
                dir="auto"
                className="block truncate hover:underline"
              >
                {shownTitle(title)}
              </Link>
              <span className="text-xs text-muted">
                {number} archived {archivedAt && <Time at={archivedAt} />}
              </span>
            </p>
            <Button
              small
              aria-label={`Restore ${shownTitle(title)}`}
              busy={restore.isPending && restore.variables === id}
              onClick={() => restore.mutate(id)}
            >
              Restore
            </Button>
          </li>
        ))}
      </ul>
      <MoreButton pages={archive} small look="quiet" className="mt-2">
        Show more cards
      </MoreButton>
    </Modal>
  );
}

const never = "never";
const days = [1, 7, 14, 30, 90, 365];

function DoneCardsDialog({ board, close }: { board: LoadedBoard; close: () => void }) {
  const { id: boardId, doneCardDays } = board;
  const change = useMutation({
    mutationFn: (wanted: number | null) =>
      call(changeBoard, { params: { boardId }, body: { doneCardDays: wanted } }).then(() =>
        fetchAfter({ kind: "board.changed", boardId }),
      ),
  });
  const done = board.columns.find(({ isDone }) => isDone);
  const offered =
    doneCardDays === null || days.includes(doneCardDays) ? days : [...days, doneCardDays].sort((a, b) => a - b);
  return (
    <Modal title="Archive done cards" close={close}>
      <div className="flex flex-col gap-4">
        <p className="text-muted">
          {done
            ? `Cards are done when they are in ${done.name}. Choose when Lodge archives them.`
            : "This board has no done column. Choose one in the menu of a column."}
        </p>
        <Choice
          label="Archive done cards"
          options={[
            ...offered.map((count) => ({
              value: String(count),
              label: count === 1 ? "After a day" : `After ${count} days`,
            })),
            { value: never, label: "Never" },
          ]}
          value={String((change.isPending ? change.variables : doneCardDays) ?? never)}
          onChange={(value) => change.mutate(value === never ? null : Number(value))}
          className="w-56"
        />
        <FormError error={change.error} />
        <div className="flex justify-end">
          <Button look="primary" onClick={close}>
            Done
          </Button>
        </div>
      </div>
    </Modal>
  );
}
