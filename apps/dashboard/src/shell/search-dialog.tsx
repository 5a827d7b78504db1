import { Dialog } from "@base-ui/react/dialog";
import { filterLengthMax } from "@lodge/contract/limits";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import {
  FolderKanban,
  Keyboard,
  KeyRound,
  LogOut,
  Monitor,
  Moon,
  Plus,
  Search,
  SquareKanban,
  StickyNote,
  Sun,
  Users,
} from "lucide-react";
import { type ComponentType, type KeyboardEvent, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { projectsQuery, searchQuery } from "../api/queries.ts";
import { chooseTheme } from "../theme.ts";
import { backdropClass } from "../ui/modal.tsx";
import { shownTitle } from "../ui/visible-text.ts";
import { showOverlay } from "./overlay.ts";
import { signOut } from "./sign-out.ts";
import { useSession } from "./use-session.ts";

const typingMs = 120;
const shownOfEachMax = 8;

type Entry = {
  id: string;
  group: "Cards" | "Go to" | "Do";
  label: string;
  hint?: string;
  icon: ComponentType<{ className?: string }>;
  act: () => void;
};

/** One field for everything: finds cards on every board, goes to boards and pages, and does what menus do. */
export function SearchDialog({ close }: { close: () => void }) {
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const wanted = useDeferredValue(typed.trim().toLocaleLowerCase());
  const { cards, searching } = useFoundCards(typed.trim());
  const places = usePlaces().filter(({ label, hint = "" }) => `${label} ${hint}`.toLocaleLowerCase().includes(wanted));
  const entries = [...cards, ...places].filter(
    (entry, index, all) =>
      all.slice(0, index).filter(({ group }) => group === entry.group).length < shownOfEachMax ||
      entry.group === "Cards",
  );
  const chosen = entries[Math.min(active, entries.length - 1)];
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    close(); // first: what it does may show something else
    entry.act();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const count = entries.length;
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown" && count > 0) setActive((active + 1) % count);
    else if (event.key === "ArrowUp" && count > 0) setActive((Math.min(active, count - 1) + count - 1) % count);
    else if (event.key === "Enter") run(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup
          initialFocus={field}
          className="fixed top-[10vh] left-1/2 z-40 flex max-h-[70vh] w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-float"
        >
          <Dialog.Title className="sr-only">Search</Dialog.Title>
          <div className="flex shrink-0 items-center gap-2 border-b border-line pl-4">
            <Search aria-hidden className="size-4 shrink-0 text-muted" />
            <input
              ref={field}
              type="text"
              role="combobox"
              aria-label="Search cards and commands"
              aria-expanded
              aria-controls={listId}
              aria-autocomplete="list"
              {...(chosen && { "aria-activedescendant": `${listId}-${chosen.id}` })}
              placeholder="Search cards, go to a board, do something"
              maxLength={filterLengthMax}
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
                setActive(0);
              }}
              onKeyDown={onKeyDown}
              className="h-12 w-full bg-transparent pr-4 text-md outline-none"
            />
          </div>
          <p role="status" className="sr-only">
            {searching ? "Searching" : `${entries.length} found`}
          </p>
          <div ref={list} id={listId} role="listbox" aria-label="Found" className="min-h-0 overflow-y-auto p-1.5">
            {entries.length === 0 && (
              <p className="px-2.5 py-2 text-muted">{searching ? "Searching…" : "Nothing was found."}</p>
            )}
            {entries.map((entry, index) => (
              <div key={entry.id} role="presentation">
                {entry.group !== entries[index - 1]?.group && (
                  <p role="presentation" className="px-2.5 pt-2 pb-1 text-xs font-medium text-muted">
                    {entry.group}
                  </p>
                )}
                {/* biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled in the field */}
                <div
                  id={`${listId}-${entry.id}`}
                  role="option"
                  tabIndex={-1}
                  aria-selected={entry === chosen}
                  onMouseMove={() => entry !== chosen && setActive(index)}
                  onClick={() => run(entry)}
                  className={`flex min-h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 ${entry === chosen ? "bg-hover" : ""}`}
                >
                  <entry.icon className="size-4 shrink-0 text-muted" />
                  <span dir="auto" className="min-w-0 flex-1 truncate">
                    {entry.label}
                  </span>
                  {entry.hint && <span className="max-w-[40%] shrink-0 truncate text-sm text-muted">{entry.hint}</span>}
                </div>
              </div>
            ))}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The cards that have the text, once the typing pauses. */
function useFoundCards(typed: string): { cards: Entry[]; searching: boolean } {
  const { navigate } = useRouter();
  const [text, setText] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setText(typed), typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const found = useQuery({ ...searchQuery(text), enabled: text !== "", placeholderData: keepPreviousData });
  if (typed === "") return { cards: [], searching: false };
  const cards = (found.data?.cards ?? []).map(
    ({ id, title, project, board, column, archived }): Entry => ({
      id,
      group: "Cards",
      label: shownTitle(title),
      hint: `${project.name} / ${board.name} / ${archived ? "archived" : column.name}`,
      icon: StickyNote,
      act: () => void navigate({ to: "/tickets/$ticketId", params: { ticketId: id } }),
    }),
  );
  return { cards, searching: found.isFetching || text !== typed };
}

function usePlaces(): Entry[] {
  const { navigate } = useRouter();
  const { organisation } = useSession();
  const { data: projects = [] } = useQuery(projectsQuery);
  const go = (id: string, label: string, icon: Entry["icon"], act: () => void, hint?: string): Entry => ({
    id,
    group: "Go to",
    label,
    icon,
    act,
    ...(hint && { hint }),
  });
  const act = (id: string, label: string, icon: Entry["icon"], run: () => void, hint?: string): Entry => ({
    ...go(id, label, icon, run, hint),
    group: "Do",
  });
  const newCard = document.querySelector<HTMLElement>("[aria-keyshortcuts=c]");
  return [
    ...projects.flatMap((project) =>
      project.boards.map((board) =>
        go(
          board.id,
          board.name,
          SquareKanban,
          () => void navigate({ to: "/boards/$boardId", params: { boardId: board.id } }),
          project.name,
        ),
      ),
    ),
    go("projects", "Projects and boards", FolderKanban, () => void navigate({ to: "/projects" })),
    go("members", "Members", Users, () => void navigate({ to: "/members" })),
    ...(organisation.role === "member"
      ? []
      : [go("tokens", "API tokens", KeyRound, () => void navigate({ to: "/tokens" }))]),
    ...(newCard ? [act("new-card", "New card", Plus, () => requestAnimationFrame(() => newCard.click()), "C")] : []),
    act("keys", "Show the keys", Keyboard, () => showOverlay("keys"), "?"),
    act("light", "Light theme", Sun, () => chooseTheme("light")),
    act("dark", "Dark theme", Moon, () => chooseTheme("dark")),
    act("system", "Theme of this device", Monitor, () => chooseTheme("system")),
    act("sign-out", "Sign out", LogOut, () => void signOut()),
  ];
}
