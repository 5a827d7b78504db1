import { WifiOff } from "lucide-react";
import { useLayoutEffect, useRef, useSyncExternalStore } from "react";
import { listenTo } from "../api/external-store.ts";
import { lookNow, useLostAt } from "../api/reach.ts";
import { useWaitingCount } from "../session/waiting.ts";
import { Button } from "../ui/button.tsx";

const listenToConnection = listenTo(window, "online", "offline");

/** While the server is unreachable, shows since when and the number of queued changes. */
export function OfflineNotice() {
  const online = useSyncExternalStore(listenToConnection, () => navigator.onLine);
  const lostAt = useLostAt();
  const waiting = useWaitingCount();
  const notice = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { style } = document.documentElement;
    const measured = new ResizeObserver(() => {
      const height = notice.current?.offsetHeight ?? 0;
      if (height > 0) style.setProperty("--notice-height", `${height}px`);
      else style.removeProperty("--notice-height");
    });
    if (notice.current) measured.observe(notice.current);
    return () => {
      measured.disconnect();
      style.removeProperty("--notice-height");
    };
  }, []);
  return (
    <div ref={notice} role="status" className="shrink-0 print:hidden">
      {(!online || lostAt !== undefined) && (
        <div className="flex flex-wrap items-center justify-center gap-x-3 gap-y-1 bg-warn-soft px-4 py-1.5 text-sm text-warn-ink">
          <p className="flex items-center gap-2">
            <WifiOff aria-hidden className="size-4 shrink-0" />
            <span>
              {online ? "Lodge cannot be reached" : "You are offline"}
              {lostAt === undefined ? ". " : <> since {timeOfDay.format(lostAt)}. </>}
              {waiting === 0
                ? "This page may be out of date. New cards, moves and comments are sent once Lodge is back."
                : `${waiting === 1 ? "1 change is" : `${waiting} changes are`} waiting to be sent.`}
            </span>
          </p>
          <Button small onClick={lookNow}>
            Retry
          </Button>
        </div>
      )}
    </div>
  );
}

const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
