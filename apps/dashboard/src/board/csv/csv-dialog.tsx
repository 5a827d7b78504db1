import { addressOf, type CallAnswer } from "@lodge/contract/call";
import { exportCards, listImports, undoImport } from "@lodge/contract/calls.generated";
import type { CardFilter } from "@lodge/contract/dashboard/boards";
import { csvBytesMax, csvRowsMax, importDays } from "@lodge/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { query } from "../../api/query.ts";
import { useSession } from "../../session/use-session.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Confirm, Modal } from "../../ui/modal.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { formatBytes, formatCount } from "../../ui/numbers.ts";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";
import { shownTitle } from "../../ui/visible-text.ts";
import { cardsInWords, namesInWords } from "./csv-words.ts";
import { ImportForm } from "./import-form.tsx";

type CardImport = CallAnswer<typeof listImports>["imports"][number];
type Undone = CallAnswer<typeof undoImport>;

const undoRule = "Undo moves the cards to the trash, except cards that somebody has changed since.";

/** Downloads a board as CSV, imports a file into it, and undoes imports. */
export function CsvDialog({ board, filter, close }: { board: LoadedBoard; filter: CardFilter; close: () => void }) {
  const [file, setFile] = useState<File>();
  const [imported, setImported] = useState<CardImport>();
  const title = imported ? "Cards imported" : file ? `Import ${file.name}` : "Import and export";
  return (
    <Modal title={title} close={close}>
      {imported ? (
        <Result imported={imported} boardId={board.id} close={close} />
      ) : file ? (
        <ImportForm
          key={file.name + file.size + file.lastModified}
          board={board}
          file={file}
          back={() => setFile(undefined)}
          done={(made) => {
            setImported(made);
            tellDone(`${cardsInWords(made.cardCount)} imported`, () => void undoInToast(made.id, board.id));
            void fetchAfter({ kind: "board.changed", boardId: board.id });
          }}
        />
      ) : (
        <Start board={board} filter={filter} choose={setFile} />
      )}
    </Modal>
  );
}

async function undo(importId: string, boardId: string): Promise<Undone> {
  const undone = await call(undoImport, { params: { importId } });
  await fetchAfter({ kind: "board.changed", boardId });
  return undone;
}

const undoInToast = (importId: string, boardId: string) =>
  undo(importId, boardId).then(
    (undone) => tellDone(undoneInWords(undone)),
    (error: unknown) => tellFailed("Could not undo", error),
  );

function undoneInWords({ deletedCount, keptCount, kept }: Undone): string {
  const moved = `${cardsInWords(deletedCount)} moved to the trash.`;
  if (keptCount === 0) return moved;
  const names = kept.map(({ title }) => `“${shownTitle(title)}”`);
  return `${moved} Kept, because they were changed: ${namesInWords({ count: keptCount, names })}.`;
}

function Start({ board, filter, choose }: { board: LoadedBoard; filter: CardFilter; choose: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const [tooLarge, setTooLarge] = useState<File>();
  const address = (shown: CardFilter) => addressOf(exportCards.path, { boardId: board.id }, shown);
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <div className="flex flex-col gap-4">
      <Section title="Export">
        <p className="text-muted">Downloads the cards of {board.name} as CSV. Archived cards are not included.</p>
        <div className="flex flex-wrap gap-2">
          <a href={address({})} download className={buttonClass()}>
            <Download aria-hidden className="size-4" />
            Export all cards
          </a>
          {isFiltered && (
            <a href={address(filter)} download className={buttonClass()}>
              <Download aria-hidden className="size-4" />
              Export filtered cards
            </a>
          )}
        </div>
      </Section>
      <Section title="Import">
        <p className="text-muted">
          Choose a CSV file, for example from Trello, Jira, GitHub or Linear. The file can have up to{" "}
          {formatCount(csvRowsMax)} rows and {formatBytes(csvBytesMax)}. You can check the columns before you import the
          cards.
        </p>
        <input
          ref={input}
          type="file"
          hidden
          accept=".csv,.tsv,text/csv,text/tab-separated-values"
          aria-label="CSV file"
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            event.target.value = "";
            if (!file) return;
            if (file.size > csvBytesMax) setTooLarge(file);
            else choose(file);
          }}
        />
        {tooLarge && (
          <p role="alert" className="text-sm text-danger-ink">
            {tooLarge.name} is too large: it is {formatBytes(tooLarge.size)}, but the limit is{" "}
            {formatBytes(csvBytesMax)}. Split it into smaller files.
          </p>
        )}
        <div>
          <Button onClick={() => input.current?.click()}>Choose a file</Button>
        </div>
      </Section>
      <Imports boardId={board.id} />
    </div>
  );
}

function Imports({ boardId }: { boardId: string }) {
  const { organisation, user } = useSession();
  const found = useQuery(query(listImports, { params: { boardId } }));
  const [undoing, setUndoing] = useState<CardImport>();
  const imports = found.data?.imports ?? [];
  return (
    <Section title={`Imports of the last ${importDays} days`}>
      {found.isPending && <Skeleton className="h-12" />}
      {found.isError && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {found.data && imports.length === 0 && (
        <p className="text-muted">No imports. Imported files are listed here, so that you can undo them.</p>
      )}
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" className="divide-y divide-line">
        {imports.map((made) => (
          <li key={made.id} className="flex items-center gap-3 py-2">
            <p className="min-w-0 flex-1">
              <span dir="auto" className="block truncate">
                {made.filename}
              </span>
              <span className="block text-xs text-muted">
                {cardsInWords(made.cardCount)} by {made.createdBy.name} <Time at={made.createdAt} />
              </span>
              {made.undone && (
                <span className="block text-xs wrap-anywhere text-muted">Undone. {undoneInWords(made.undone)}</span>
              )}
            </p>
            {!made.undone && (organisation.role !== "member" || made.createdBy.id === user.id) && (
              <Button small aria-label={`Undo the import of ${made.filename}`} onClick={() => setUndoing(made)}>
                Undo
              </Button>
            )}
          </li>
        ))}
      </ul>
      {undoing && (
        <Confirm
          title={`Undo the import of ${undoing.filename}?`}
          confirm="Undo import"
          act={async () => tellDone(undoneInWords(await undo(undoing.id, boardId)))}
          close={() => setUndoing(undefined)}
        >
          {undoRule}
        </Confirm>
      )}
    </Section>
  );
}

function Result({ imported, boardId, close }: { imported: CardImport; boardId: string; close: () => void }) {
  const list = useQuery(query(listImports, { params: { boardId } }));
  const [state, setState] = useState<{ busy?: boolean; undone?: Undone }>({});
  const done = useRef<HTMLButtonElement>(null);
  useEffect(() => done.current?.focus(), []);
  // It may also have been undone from the message.
  const undone = state.undone ?? list.data?.imports.find(({ id }) => id === imported.id)?.undone;
  const undoNow = () => {
    setState({ busy: true });
    undo(imported.id, boardId).then(
      (result) => setState({ undone: result }),
      (error: unknown) => {
        setState({});
        tellFailed("Could not undo", error);
      },
    );
  };
  return (
    <div className="flex flex-col gap-4">
      <div role="status" className="flex flex-col gap-2">
        <p>{undone ? `Undone. ${undoneInWords(undone)}` : `${cardsInWords(imported.cardCount)} imported.`}</p>
        {!undone && imported.unassigned.count > 0 && (
          <p className="wrap-anywhere">
            These assignees are not members, so their cards have no assignee: {namesInWords(imported.unassigned)}.
          </p>
        )}
      </div>
      {!undone && (
        <p className="text-muted">
          {undoRule} You can also undo it later: this dialog lists imports for {importDays} days.
        </p>
      )}
      <div className="flex justify-end gap-2">
        {!undone && (
          <Button busy={state.busy ?? false} onClick={undoNow}>
            Undo import
          </Button>
        )}
        <Button ref={done} look="primary" onClick={close}>
          Done
        </Button>
      </div>
    </div>
  );
}
