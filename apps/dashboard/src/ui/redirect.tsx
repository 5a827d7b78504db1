import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** Leads on to another address of the dashboard, which takes the place of this one. */
export function Redirect({ to }: { to: string }) {
  const { history } = useRouter();
  useEffect(() => history.replace(to), [history, to]);
  return null;
}
