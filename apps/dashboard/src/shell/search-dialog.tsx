import { Dialog } from "@base-ui/react/dialog";
import { filterLengthMax } from "@lodge/contract/limits";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import {
  AppWindow,
  Bell,
  BellRing,
  Bug,
  Building2,
  FileText,
  FolderKanban,
  Gauge,
  Inbox,
  Keyboard,
  KeyRound,
  ListFilter,
  ListTodo,
  LogOut,
  Monitor,
  Moon,
  Plus,
  ScrollText,
  Search,
  SquareKanban,
  StickyNote,
  Sun,
  Tag,
  UserRound,
  Users,
  Webhook,
} from "lucide-react";
import { type ComponentType, type KeyboardEvent, useEffect, useEffectEvent, useId, useRef, useState } from "react";
import { boardViewsQuery, projectsQuery, searchQuery } from "../api/queries.ts";
import { kindLabels } from "../inbox/report-kind.tsx";
import { signOut } from "../session/sign-out.ts";
import { useSession } from "../session/use-session.ts";
import { backdropClass } from "../ui/modal.tsx";
import { chooseTheme } from "../ui/theme.ts";
import { shownTitle } from "../ui/visible-text.ts";
import { showOverlay } from "./overlay.ts";

const typingMs = 120;
const shownOfEachMax = 8;

type Entry = {
  id: string;
  group: "Cards" | "Problems" | "Reports" | "Go to" | "Do";
  label: string;
  hint?: string;
  icon: ComponentType<{ className?: string }>;
  act: () => void;
};

/**
 * One field for everything: finds cards on every board, problems and reports of every app, goes to boards, views and pages, and does what menus do. Enter acts on what
 * answers the text that stands in the field: where that is still on its way, as soon as it is there.
 */
export function SearchDialog({ close }: { close: () => void }) {
  const listId = useId();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState("");
  const [chosenId, setChosenId] = useState<string>();
  const [entered, setEntered] = useState(false);
  const wanted = typed.trim().toLocaleLowerCase();
  const { found, searching, failed } = useFound(typed.trim(), entered);
  const places = usePlaces().filter(({ label, hint = "" }) => `${label} ${hint}`.toLocaleLowerCase().includes(wanted));
  const { "Go to": goTo = [], Do: act = [] } = Object.groupBy(places, ({ group }) => group);
  const entries = [...found, ...goTo.slice(0, shownOfEachMax), ...act.slice(0, shownOfEachMax)];
  const chosen = entries.find(({ id }) => id === chosenId) ?? entries[0];
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  });
  const run = (entry: Entry | undefined) => {
    if (!entry) return;
    close(); // first: what it does may show something else
    entry.act();
  };
  const answered = useEffectEvent(() => {
    setEntered(false);
    if (!failed) run(chosen);
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
    else if (event.key === "Enter") setEntered(true);
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
              placeholder="Search cards and reports, open pages, run commands"
              maxLength={filterLengthMax}
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
                setChosenId(undefined);
                setEntered(false);
              }}
              onKeyDown={onKeyDown}
              className="h-12 w-full bg-transparent pr-4 text-md outline-none"
            />
          </div>
          <p role="status" className={failed ? "px-4 pt-2 text-sm text-danger-ink" : "sr-only"}>
            {failed ? "Could not search cards and reports." : searching ? "Searching" : `${entries.length} found`}
          </p>
          <div ref={list} id={listId} role="listbox" aria-label="Found" className="min-h-0 overflow-y-auto p-1.5">
            {entries.length === 0 && (
              <p className="px-2.5 py-2 text-muted">{searching ? "Searching…" : "No results"}</p>
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
                  onMouseMove={() => entry !== chosen && setChosenId(entry.id)}
                  onClick={() => run(entry)}
                  className={`flex min-h-9 cursor-default items-center gap-2.5 rounded-md px-2.5 ${entry === chosen ? "bg-hover" : ""}`}
                >
                  <entry.icon className="size-4 shrink-0 text-muted" />
                  <span className="flex min-w-0 flex-1 flex-col py-1.5 sm:flex-row sm:items-center sm:gap-2.5">
                    <span dir="auto" className="min-w-0 truncate sm:flex-1">
                      {entry.label}
                    </span>
                    {entry.hint && (
                      <span className="shrink-0 truncate text-xs text-muted sm:max-w-[40%] sm:text-sm">
                        {entry.hint}
                      </span>
                    )}
                  </span>
                </div>
              </div>
            ))}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The cards, problems and reports that have the text, once the typing pauses or is over; those of the text before while they are on their way. */
function useFound(typed: string, over: boolean): { found: Entry[]; searching: boolean; failed: boolean } {
  const { navigate } = useRouter();
  const [text, setText] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setText(typed), over ? 0 : typingMs);
    return () => clearTimeout(timer);
  }, [typed, over]);
  const answer = useQuery({ ...searchQuery(text), enabled: text !== "", placeholderData: keepPreviousData });
  if (typed === "") return { found: [], searching: false, failed: false };
  const cards = (answer.data?.cards ?? []).map(
    ({ id, number, title, project, board, column, archived }): Entry => ({
      id,
      group: "Cards",
      label: number ? `${number} ${shownTitle(title)}` : shownTitle(title),
      hint: `${project.name} / ${board.name} / ${archived ? "archived" : column.name}`,
      icon: StickyNote,
      act: () => void navigate({ to: "/tickets/$ticketId", params: { ticketId: id } }),
    }),
  );
  const problems = (answer.data?.problems ?? []).map(
    ({ id, title, app }): Entry => ({
      id,
      group: "Problems",
      label: title,
      hint: app.name,
      icon: Bug,
      act: () => void navigate({ to: "/problems/$problemId", params: { problemId: id } }),
    }),
  );
  const reports = (answer.data?.reports ?? []).map(
    ({ id, kind, title, app }): Entry => ({
      id,
      group: "Reports",
      label: title,
      hint: `${kindLabels[kind]}, ${app.name}`,
      icon: FileText,
      act: () => void navigate({ to: "/events/$eventId", params: { eventId: id } }),
    }),
  );
  const searching = text !== typed || answer.isPending || answer.isPlaceholderData;
  return { found: [...cards, ...problems, ...reports], searching, failed: !searching && answer.isError };
}

function usePlaces(): Entry[] {
  const { navigate } = useRouter();
  const { organisation } = useSession();
  const { data: projects = [] } = useQuery(projectsQuery);
  const { data: saved } = useQuery(boardViewsQuery);
  const views = saved?.views ?? [];
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
    ...views.map(({ id, boardId, name, filter }) => {
      const board = projects.flatMap(({ boards }) => boards).find((each) => each.id === boardId);
      return go(
        id,
        name,
        ListFilter,
        () => void navigate({ to: "/boards/$boardId", params: { boardId }, search: filter }),
        board && `View of ${board.name}`,
      );
    }),
    go("work", "My work", ListTodo, () => void navigate({ to: "/work" })),
    go("notifications", "Notifications", Bell, () => void navigate({ to: "/inbox" })),
    go("profile", "Profile", UserRound, () => void navigate({ to: "/profile" })),
    go("reports", "Reports", Inbox, () => void navigate({ to: "/reports" })),
    go("projects", "Projects and boards", FolderKanban, () => void navigate({ to: "/projects" })),
    go("apps", "Apps", AppWindow, () => void navigate({ to: "/apps" })),
    go("usage", "Usage and plan", Gauge, () => void navigate({ to: "/usage" })),
    go("organisation", "Organisation", Building2, () => void navigate({ to: "/organisation" })),
    go("labels", "Labels", Tag, () => void navigate({ to: "/labels" })),
    go("members", "Members", Users, () => void navigate({ to: "/members" })),
    ...(organisation.role === "member"
      ? []
      : [
          go("subscribers", "Subscribers", Webhook, () => void navigate({ to: "/subscribers" })),
          go("hooks", "Webhooks", BellRing, () => void navigate({ to: "/hooks" })),
          go("tokens", "API tokens", KeyRound, () => void navigate({ to: "/tokens" })),
          go("audit", "Audit log", ScrollText, () => void navigate({ to: "/audit" })),
        ]),
    ...(newCard ? [act("new-card", "New card", Plus, () => requestAnimationFrame(() => newCard.click()), "C")] : []),
    act("keys", "Show keyboard shortcuts", Keyboard, () => showOverlay("keys"), "?"),
    act("light", "Light theme", Sun, () => chooseTheme("light")),
    act("dark", "Dark theme", Moon, () => chooseTheme("dark")),
    act("system", "System theme", Monitor, () => chooseTheme("system")),
    act("sign-out", "Sign out", LogOut, () => void signOut()),
  ];
}
