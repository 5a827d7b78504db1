import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/**
 * Leads on to another address of the dashboard, which takes the place of this one: only from this path, where one is given,
 * since a page is shown until the next one is loaded.
 */
export function Redirect({ from, to }: { from?: string; to: string }) {
  const { history } = useRouter();
  useEffect(() => {
    if (from === undefined || history.location.pathname === from) history.replace(to);
  }, [history, from, to]);
  return null;
}
