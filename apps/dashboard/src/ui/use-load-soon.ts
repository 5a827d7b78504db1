import { useEffect } from "react";

const soonMs = 1_500;

/** Preloads something that a key or click opens, shortly after the page is shown, so that keys typed next go to it. */
export function useLoadSoon(load: () => Promise<unknown>) {
  useEffect(() => {
    const timer = setTimeout(() => void load().catch(() => {}), soonMs);
    return () => clearTimeout(timer);
  }, [load]);
}
