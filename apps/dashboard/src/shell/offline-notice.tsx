import { WifiOff } from "lucide-react";
import { useSyncExternalStore } from "react";

/** Says while the device has no network that nothing on the page can be new. */
export function OfflineNotice() {
  const online = useSyncExternalStore(
    (listener) => {
      const names = ["online", "offline"] as const;
      for (const name of names) addEventListener(name, listener);
      return () => {
        for (const name of names) removeEventListener(name, listener);
      };
    },
    () => navigator.onLine,
  );
  return (
    <div role="status">
      {!online && (
        <p className="flex items-center justify-center gap-2 bg-warn-soft px-4 py-1.5 text-sm text-warn-ink">
          <WifiOff aria-hidden className="size-4 shrink-0" />
          You are offline: what you see may have changed, and nothing can be saved.
        </p>
      )}
    </div>
  );
}
