import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { Bell, Menu as MenuIcon, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { keepLoading } from "../api/keep-loading.ts";
import { useLiveUpdates } from "../api/live.ts";
import { useSession } from "../session/use-session.ts";
import { IconButton } from "../ui/button.tsx";
import { Logo } from "../ui/logo.tsx";
import { showOverlay } from "../ui/overlay.ts";
import { Skeleton } from "../ui/skeleton.tsx";
import { useLoadSoon } from "../ui/use-load-soon.ts";
import { OfflineNotice } from "./offline-notice.tsx";
import { Overlays } from "./overlays.tsx";
import { Sidebar, UnreadCount } from "./sidebar.tsx";

const loadDrawer = () => keepLoading(() => import("./drawer.tsx")).then((module) => ({ default: module.Drawer }));
const Drawer = lazy(loadDrawer);

/** The layout of all pages for members: the sidebar, or on a narrow screen a menu button. */
export function AppShell() {
  const { organisation, user, livePosition } = useSession();
  useLiveUpdates(organisation.id, user.id, livePosition);
  useKeptChanges(`${user.id}:${organisation.id}`);
  return (
    <div data-shell className="flex h-full flex-col">
      <OfflineNotice />
      <Overlays />
      <div data-shell className="flex min-h-0 flex-1 flex-col md:flex-row">
        <a
          href="#content"
          className="sr-only z-50 rounded-md bg-surface px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
        >
          Skip to content
        </a>
        <div className="hidden w-60 shrink-0 border-r border-line bg-sunken md:block print:hidden">
          <Sidebar />
        </div>
        <TopBar name={organisation.name} />
        <div id="content" tabIndex={-1} className="relative min-h-0 min-w-0 flex-1 overflow-y-auto outline-none">
          <Suspense>
            <Outlet />
          </Suspense>
        </div>
      </div>
    </div>
  );
}

/** Stores and sends changes that were queued while the server was unreachable, including those from before a reload. */
function useKeptChanges(viewer: string) {
  useEffect(() => {
    let stop: (() => void) | undefined;
    let isOver = false;
    void keepLoading(() => Promise.all([import("../session/keep-waiting.ts"), import("../board/send-later.ts")])).then(
      ([{ keepWaiting }]) => {
        if (!isOver) stop = keepWaiting(viewer);
      },
      () => {}, // the page is outdated; a reload fixes it
    );
    return () => {
      isOver = true;
      stop?.();
    };
  }, [viewer]);
}

function TopBar({ name }: { name: string }) {
  const [open, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useLoadSoon(loadDrawer);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: closes the drawer after any navigation
  useEffect(() => setOpen(false), [pathname]);
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line bg-sunken px-2 md:hidden print:hidden">
      <IconButton ref={button} label="Menu" aria-haspopup="dialog" aria-expanded={open} onClick={() => setOpen(true)}>
        <MenuIcon aria-hidden className="size-5" />
      </IconButton>
      {open && (
        <Suspense>
          <Drawer returnTo={button} close={() => setOpen(false)} />
        </Suspense>
      )}
      <Logo className="size-5" />
      <span className="min-w-0 flex-1 truncate font-semibold">{name}</span>
      <IconButton label="Search" onClick={() => showOverlay("search")}>
        <Search aria-hidden className="size-5" />
      </IconButton>
      <Link
        to="/inbox"
        className="relative inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink"
      >
        <Bell aria-hidden className="size-5" />
        <span className="sr-only">Notifications</span>
        <UnreadCount className="absolute -top-1 -right-1" />
      </Link>
    </header>
  );
}

/** The layout while the session is loading. */
export function ShellSkeleton() {
  return (
    <div aria-busy className="flex h-full flex-col md:flex-row">
      <p className="sr-only">Loading</p>
      <div className="hidden w-60 shrink-0 flex-col gap-3 border-r border-line bg-sunken p-3 md:flex">
        <Skeleton className="h-9" />
        <Skeleton className="mt-3 h-5 w-2/3" />
        <Skeleton className="h-5 w-1/2" />
      </div>
      <div className="h-12 shrink-0 border-b border-line bg-sunken md:hidden" />
    </div>
  );
}
