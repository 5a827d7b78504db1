import type { TicketChange } from "@lodge/contract/dashboard/tickets";
import { useQuery } from "@tanstack/react-query";
import { Archive, Columns3, SignalHigh, Tag, Trash2, UserRound, X } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { peopleQuery } from "../../api/queries.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { bottomBar } from "../../ui/bottom-bar.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { DropMenu, MenuItem } from "../../ui/menu.tsx";
import type { Priority } from "../palette.ts";
import { DeleteCards } from "../ticket/delete-cards.tsx";
import { inWords } from "../ticket/in-words.ts";
import { LabelButton } from "../ticket/label-button.tsx";
import { PriorityMark, priorityLabels } from "../ticket/priority.tsx";
import { actOnCards, creditsFor, labelsOfAll } from "./act-on-cards.ts";
import { keepFocusNear } from "./laid-out-cards.ts";

/** The actions for the selected cards. */
export function SelectionBar({
  board,
  selected,
  change,
  clear,
}: {
  board: LoadedBoard;
  selected: ReadonlySet<string>;
  change: (changes: TicketChange[], done: string) => void;
  clear: () => void;
}) {
  const { data: people = [] } = useQuery(peopleQuery);
  const [open, setOpen] = useState<"delete">();
  const cards = board.columns.flatMap((column) => column.cards.filter(({ id }) => selected.has(id)));
  const what = inWords(cards.length);
  const end = () => {
    clear();
    keepFocusNear(cards.map(({ id }) => id));
  };
  const act = actOnCards(cards, change, end);
  return (
    <div
      ref={bottomBar}
      role="toolbar"
      aria-label={`${what} selected`}
      className="pointer-events-auto mx-auto flex w-max max-w-full flex-wrap items-center justify-center gap-0.5 rounded-xl border border-line bg-raised p-1.5 shadow-float"
    >
      <span className="px-2 font-medium whitespace-nowrap tabular-nums">
        {cards.length}
        <span className="@max-3xl:sr-only"> selected</span>
      </span>
      <BarMenu id="selected-column" name="Move" shortcut="m" icon={<Columns3 aria-hidden className="size-4" />}>
        {board.columns.map(({ id, name }) => (
          <MenuItem key={id} onClick={() => act.move({ id, name })}>
            <span className="truncate">{name}</span>
          </MenuItem>
        ))}
      </BarMenu>
      <BarMenu id="selected-assignee" name="Assign" shortcut="a" icon={<UserRound aria-hidden className="size-4" />}>
        <MenuItem onClick={() => act.assign(null)}>
          <UserRound aria-hidden className="size-4 text-muted" />
          Nobody
        </MenuItem>
        {people.map(({ id, name, isAgent }) => (
          <MenuItem key={id} onClick={() => act.assign({ id, name })}>
            <Avatar small name={name} isAgent={isAgent} />
            <span className="min-w-0 flex-1 truncate">{name}</span>
            {isAgent && <span className="shrink-0 text-xs text-muted">uses {creditsFor(cards, id)}</span>}
          </MenuItem>
        ))}
      </BarMenu>
      <BarMenu id="selected-priority" name="Priority" shortcut="p" icon={<SignalHigh aria-hidden className="size-4" />}>
        {(Object.keys(priorityLabels) as Priority[]).reverse().map((priority) => (
          <MenuItem key={priority} onClick={() => act.prioritise(priority)}>
            <PriorityMark priority={priority} />
            {priorityLabels[priority]}
          </MenuItem>
        ))}
      </BarMenu>
      <LabelButton
        once
        chosen={labelsOfAll(cards)}
        choose={act.label}
        trigger={() => barButton("selected-labels", "Label", "l", <Tag aria-hidden className="size-4" />)}
      />
      <Button look="quiet" title="Archive" onClick={act.archive}>
        <Archive aria-hidden className="size-4" />
        <span className="@max-3xl:sr-only">Archive</span>
      </Button>
      <Button look="quiet" title="Delete" onClick={() => setOpen("delete")}>
        <Trash2 aria-hidden className="size-4" />
        <span className="@max-3xl:sr-only">Delete</span>
      </Button>
      <IconButton label="Clear the selection (Escape)" onClick={end}>
        <X aria-hidden className="size-4" />
      </IconButton>
      {open === "delete" && (
        <DeleteCards boardId={board.id} cards={cards} focus={keepFocusNear} close={() => setOpen(undefined)} />
      )}
    </div>
  );
}

function BarMenu({
  id,
  name,
  shortcut,
  icon,
  children,
}: {
  id: string;
  name: string;
  shortcut: string;
  icon: ReactNode;
  children: ReactNode;
}) {
  return <DropMenu trigger={barButton(id, name, shortcut, icon)}>{children}</DropMenu>;
}

/** A button of the selection bar, with its shortcut. */
const barButton = (id: string, name: string, shortcut: string, icon: ReactNode) => (
  <Button id={id} look="quiet" aria-keyshortcuts={shortcut} title={`${name} (${shortcut.toUpperCase()})`}>
    {icon}
    <span className="@max-3xl:sr-only">{name}</span>
    <kbd aria-hidden className="font-sans text-xs @max-4xl:hidden">
      {shortcut.toUpperCase()}
    </kbd>
  </Button>
);
