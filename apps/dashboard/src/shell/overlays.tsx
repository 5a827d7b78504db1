import { lazy, Suspense, useEffect } from "react";
import { showOverlay, useOverlay } from "./overlay.ts";
import { useKeys } from "./use-keys.ts";

const loadSearch = () => import("./search-dialog.tsx").then((module) => ({ default: module.SearchDialog }));
const SearchDialog = lazy(loadSearch);
const KeysDialog = lazy(() => import("./keys-dialog.tsx").then((module) => ({ default: module.KeysDialog })));

const idleMs = 1_500;

/** The keys of every page, and what lies over it when it is asked for. */
export function Overlays() {
  useKeys();
  useEffect(() => {
    // What is typed right after the key is for the search already.
    const timer = setTimeout(() => void loadSearch().catch(() => {}), idleMs);
    return () => clearTimeout(timer);
  }, []);
  const shown = useOverlay();
  const close = () => showOverlay(undefined);
  return (
    <Suspense>
      {shown === "search" && <SearchDialog close={close} />}
      {shown === "keys" && <KeysDialog close={close} />}
    </Suspense>
  );
}
