import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/**
 * Replaces the URL with another one of the dashboard. With `from`, only while the path is still `from`: a page stays
 * mounted until the next one is loaded.
 */
export function Redirect({ from, to }: { from?: string; to: string }) {
  const { history } = useRouter();
  useEffect(() => {
    if (from === undefined || history.location.pathname === from) history.replace(to);
  }, [history, from, to]);
  return null;
}
