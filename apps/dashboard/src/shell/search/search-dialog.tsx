import { Dialog } from "@base-ui/react/dialog";
import { filterLengthMax, labelLengthMax } from "@lodge/contract/limits";
import { ArrowLeft, Search } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { useCardTarget } from "../../board/board/use-card-target.ts";
import { IconButton } from "../../ui/button.tsx";
import { tooLong } from "../../ui/length.ts";
import { backdropClass } from "../../ui/modal.tsx";
import { cardCommands } from "./card-commands.tsx";
import { begins, type Entry, has, type ListName } from "./entry.tsx";
import { Found } from "./found.tsx";
import { useCommands } from "./use-commands.tsx";
import { useFound } from "./use-found.ts";
import { listTitles, useList } from "./use-list.tsx";
import { usePlaces } from "./use-places.ts";

const placesMax = 8;

/**
 * The search and command palette: finds cards, problems and reports, opens boards, views and pages, and runs commands,
 * also on the cards to which it applies. Enter always acts on the results for the current text, waiting for them if
 * needed.
 */
export function SearchDialog({ close }: { close: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  const listId = useId();
  const search = useSearch(close);
  const { typed, entries, chosen, list, dialog, searching, failed } = search;
  if (dialog) return dialog;
  const title = list && listTitles[list];
  const problem = list === "label" ? tooLong(typed.trim(), labelLengthMax) : undefined;
  const status = searching ? "Searching" : `${title ? `${title}: ` : ""}${entries.length} found`;
  return (
    <Dialog.Root
      open
      onOpenChange={(open, { reason }) => {
        if (!open && list && reason === "escape-key") search.goBack();
        else if (!open) close();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup
          initialFocus={field}
          className="fixed top-[10vh] left-1/2 z-40 flex max-h-[70vh] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <div className={`flex shrink-0 items-center gap-2 border-b border-line ${list ? "pl-2" : "pl-4"}`}>
            {list ? (
              <IconButton label="Back (Esc)" onMouseDown={(event) => event.preventDefault()} onClick={search.goBack}>
                <ArrowLeft aria-hidden className="size-4" />
              </IconButton>
            ) : (
              <Search aria-hidden className="size-4 shrink-0 text-muted" />
            )}
            <input
              ref={field}
              type="text"
              role="combobox"
              aria-label={title ?? "Search cards and commands"}
              aria-expanded
              aria-controls={listId}
              aria-autocomplete="list"
              {...(chosen && { "aria-activedescendant": `${listId}-${entries.indexOf(chosen)}` })}
              placeholder={title ? `${title}…` : "Search cards and reports, open pages, run commands"}
              maxLength={filterLengthMax}
              value={typed}
              onChange={(event) => search.type(event.target.value)}
              onKeyDown={search.onKeyDown}
              className="h-12 w-full bg-transparent pr-4 text-md outline-none"
            />
          </div>
          <p role="status" className={failed || problem ? "px-4 pt-2 text-sm text-danger-ink" : "sr-only"}>
            {failed ? "Could not search cards and reports." : (problem ?? status)}
          </p>
          <Found
            id={listId}
            label={title ?? "Results"}
            entries={entries}
            chosen={chosen}
            choose={({ id }) => search.choose(id)}
            run={search.run}
            empty={searching ? "Searching…" : "No results"}
          />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The typed text, the active entry, and the key handler. */
function useSearch(close: () => void) {
  const [typed, setTyped] = useState("");
  const [chosenId, setChosenId] = useState<string>();
  const [entered, setEntered] = useState(false);
  const [list, setList] = useState<{ name: ListName; from: string }>();
  const [dialog, setDialog] = useState<ReactNode>();
  const { entries, actions, searching, failed } = useEntries(typed.trim(), entered, list?.name);
  const chosen = entries.find(({ id }) => id === chosenId) ?? entries[0];
  const type = (text: string, chooseId?: string) => {
    setTyped(text);
    setChosenId(chooseId);
    setEntered(false);
  };
  const run = ({ id, does }: Entry) => {
    if ("list" in does) {
      setList({ name: does.list, from: id });
      return type("");
    }
    if ("dialog" in does) return setDialog(does.dialog(close));
    close(); // first, because the action may open something else
    does.act();
  };
  const goBack = () => {
    setList(undefined);
    type("", list?.from);
  };
  const answered = useEffectEvent(() => {
    setEntered(false);
    if (!failed && chosen) run(chosen);
  });
  useEffect(() => {
    if (entered && !searching) answered();
  }, [entered, searching]);
  const chooseBy = (step: number) => {
    const index = chosen ? entries.indexOf(chosen) + step + entries.length : 0;
    setChosenId(entries[index % entries.length]?.id);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") chooseBy(1);
    else if (event.key === "ArrowUp") chooseBy(-1);
    else if (event.key === "Enter" && chosen && actions.includes(chosen)) run(chosen);
    else if (event.key === "Enter") setEntered(true);
    else if (event.key === "Backspace" && list && typed === "") goBack();
    else return;
    event.preventDefault();
  };
  return {
    typed,
    type,
    entries,
    chosen,
    choose: setChosenId,
    run,
    goBack,
    onKeyDown,
    list: list?.name,
    dialog,
    searching,
    failed,
  };
}

/**
 * The entries that match the text, or the choices of an open list. Groups of actions with one that begins with the text
 * come first. `actions` are those that begin with it: Enter can run them without waiting for results.
 */
function useEntries(typed: string, over: boolean, list: ListName | undefined) {
  const target = useCardTarget();
  const { found, searching, failed } = useFound(list ? "" : typed, over);
  const places = usePlaces();
  const commands = useCommands();
  const choices = useList(list, target, typed);
  if (list) return { entries: choices, actions: choices, searching, failed };
  const wanted = typed.toLocaleLowerCase();
  const begun = (entry: Entry) => begins(entry, wanted);
  const matching = (entries: Entry[]) => {
    const those = entries.filter((entry) => has(entry, wanted));
    return [...those.filter(begun), ...those.filter((entry) => !begun(entry))];
  };
  const [ofCards, others] = [matching(target ? cardCommands(target) : []), matching(commands)];
  const leads = (group: Entry[]) => group.some(begun);
  const leading = [ofCards, others].filter(leads).flat();
  const entries = [
    ...leading,
    ...found,
    ...(leads(ofCards) ? [] : ofCards),
    ...matching(places).slice(0, placesMax),
    ...(leads(others) ? [] : others),
  ];
  return { entries, actions: leading.filter(begun), searching, failed };
}
