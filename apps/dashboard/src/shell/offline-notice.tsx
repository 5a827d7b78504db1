import { WifiOff } from "lucide-react";
import { useSyncExternalStore } from "react";
import { listenTo } from "../api/external-store.ts";
import { useLostAt } from "../api/reach.ts";

const listenToConnection = listenTo(window, "online", "offline");

/** Says while the server cannot be reached how old what is shown may be. */
export function OfflineNotice() {
  const online = useSyncExternalStore(listenToConnection, () => navigator.onLine);
  const lostAt = useLostAt();
  return (
    <div role="status">
      {(!online || lostAt !== undefined) && (
        <p className="flex items-center justify-center gap-2 bg-warn-soft px-4 py-1.5 text-sm text-warn-ink">
          <WifiOff aria-hidden className="size-4 shrink-0" />
          <span>
            {online ? "Lodge cannot be reached" : "You are offline"}
            {lostAt === undefined ? ": " : <> since {timeOfDay.format(lostAt)}: </>}
            this page may be out of date, and changes cannot be saved.
          </span>
        </p>
      )}
    </div>
  );
}

const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
