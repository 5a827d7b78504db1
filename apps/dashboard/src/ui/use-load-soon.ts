import { useEffect } from "react";

const soonMs = 1_500;

/** Loads what a key or a press opens, shortly after the page shows: what follows the key is then for it already. */
export function useLoadSoon(load: () => Promise<unknown>) {
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => {}), soonMs);
    return () => clearTimeout(timer);
  }, [load]);
}
