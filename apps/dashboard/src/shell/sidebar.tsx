import { useQuery } from "@tanstack/react-query";
import { Link, type LinkProps, useMatches } from "@tanstack/react-router";
import {
  AppWindow,
  Bell,
  Bot,
  FolderKanban,
  Inbox,
  ListTodo,
  MessagesSquare,
  Search,
  Settings,
  SquareKanban,
} from "lucide-react";
import type { ReactNode } from "react";
import { boardViewsQuery, projectsQuery } from "../api/queries.ts";
import { useOpenBoard } from "../board/board/use-open-board.ts";
import { threadCountsQuery } from "../inbox/reports/report-queries.ts";
import { unreadCountQuery } from "../people/notifications/notification-queries.ts";
import { formatCount } from "../ui/numbers.ts";
import { showOverlay } from "../ui/overlay.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { commandKey } from "./command-key.ts";
import { OrganisationSwitcher } from "./organisation-switcher.tsx";
import { PersonMenu } from "./person-menu.tsx";

const linkClass =
  "flex h-8 min-w-0 items-center gap-2 rounded-md px-2 text-muted transition-colors duration-100 hover:bg-hover hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink";

/** The organisation, its boards by project, its reports and settings, and who is signed in. */
export function Sidebar({ inDrawer = false }: { inDrawer?: boolean }) {
  const inSettings = useMatches({
    select: (matches) => matches.some(({ routeId }) => routeId === "/signed-in/settings"),
  });
  return (
    <nav aria-label="Lodge" className="flex h-full flex-col">
      <div className={`border-b border-line p-2 ${inDrawer ? "pr-12" : ""}`}>
        <OrganisationSwitcher />
      </div>
      <div className="px-2 pt-2">
        <button type="button" onClick={() => showOverlay("search")} className={`${linkClass} w-full`}>
          <Search aria-hidden className="size-4 shrink-0" />
          <span className="flex-1 text-left">Search</span>
          <kbd className="font-sans text-xs">{commandKey}K</kbd>
        </button>
        <NotificationsLink />
        <PageLink to="/work" icon={<ListTodo aria-hidden className="size-4 shrink-0" />}>
          My work
        </PageLink>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto p-2">
        <Boards />
      </div>
      <div className="border-t border-line p-2">
        <PageLink to="/reports" icon={<Inbox aria-hidden className="size-4 shrink-0" />}>
          Reports
        </PageLink>
        <Conversations />
        <PageLink to="/runs" icon={<Bot aria-hidden className="size-4 shrink-0" />}>
          Agent
        </PageLink>
      </div>
      <div className="border-t border-line p-2">
        <PageLink to="/projects" icon={<FolderKanban aria-hidden className="size-4 shrink-0" />}>
          Projects and boards
        </PageLink>
        <PageLink to="/apps" icon={<AppWindow aria-hidden className="size-4 shrink-0" />}>
          Apps
        </PageLink>
        <Link to="/organisation" className={linkClass} {...(inSettings && { "aria-current": "page" as const })}>
          <Settings aria-hidden className="size-4 shrink-0" />
          Settings
        </Link>
      </div>
      <div className="border-t border-line p-2">
        <PersonMenu />
      </div>
    </nav>
  );
}

/** The number of the person's unread notifications, if there are any. */
export function UnreadCount({ className = "" }: { className?: string }) {
  const { data } = useQuery(unreadCountQuery);
  const unread = data?.unreadCount ?? 0;
  if (unread === 0) return null;
  return (
    <span
      className={`min-w-5 rounded-full bg-accent px-1.5 text-center text-xs leading-5 font-semibold text-on-accent tabular-nums ${className}`}
    >
      {unread > 99 ? "99+" : unread}
      <span className="sr-only"> unread</span>
    </span>
  );
}

/** The link to the notifications, with the number of unread ones. */
function NotificationsLink() {
  return (
    <Link to="/inbox" className={linkClass}>
      <Bell aria-hidden className="size-4 shrink-0" />
      <span className="flex-1">Notifications</span>
      <UnreadCount />
    </Link>
  );
}

function PageLink({ to, icon, children }: { to: LinkProps["to"] & string; icon: ReactNode; children: ReactNode }) {
  return (
    <Link to={to} className={linkClass}>
      {icon}
      <span className="flex min-w-0 flex-1 truncate">{children}</span>
    </Link>
  );
}

function Conversations() {
  const { data: counts } = useQuery(threadCountsQuery);
  return (
    <PageLink to="/threads" icon={<MessagesSquare aria-hidden className="size-4 shrink-0" />}>
      Conversations
      {counts && counts.unreadCount > 0 && (
        <span className="ml-auto rounded-full bg-accent px-1.5 text-xs leading-5 font-medium text-on-accent tabular-nums">
          {formatCount(counts.unreadCount)}
          <span className="sr-only"> unread</span>
        </span>
      )}
    </PageLink>
  );
}

function Boards() {
  const { data: projects } = useQuery(projectsQuery);
  const { data: saved } = useQuery(boardViewsQuery);
  const { boardId } = useOpenBoard();
  if (!projects) {
    return (
      <div aria-busy className="flex flex-col gap-2 p-2">
        <Skeleton className="h-4 w-20" />
        <Skeleton className="h-6" />
        <Skeleton className="h-6" />
      </div>
    );
  }
  const favourites = projects.flatMap(({ boards }) => boards).filter(({ id }) => saved?.favouriteBoardIds.includes(id));
  const parts = [
    ...(favourites.length > 0 ? [{ id: "favourites", name: "Favourites", boards: favourites }] : []),
    ...projects,
  ];
  return parts.map(({ id, name, boards }) => (
    <section key={id} aria-labelledby={`project-${id}`} className="mb-3">
      <h2 id={`project-${id}`} className="truncate px-2 py-1.5 text-xs font-medium text-muted">
        {name}
      </h2>
      <ul>
        {boards.map((board) => (
          <li key={board.id}>
            <Link
              to="/boards/$boardId"
              params={{ boardId: board.id }}
              className={linkClass}
              {...(board.id === boardId && { "aria-current": "page" as const })}
            >
              <SquareKanban aria-hidden className="size-4 shrink-0" />
              <span dir="auto" className="truncate">
                {board.name}
              </span>
            </Link>
          </li>
        ))}
        {boards.length === 0 && <li className="px-2 py-1 text-sm text-muted">No boards</li>}
      </ul>
    </section>
  ));
}
