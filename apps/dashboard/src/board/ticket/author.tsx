import type { Actor } from "@lodge/contract/dashboard/tickets";
import { KeyRound, Smartphone } from "lucide-react";

/** An author. Tokens and apps are marked as such. */
export function Author({ author }: { author: Pick<Actor, "kind" | "name"> }) {
  if (author.kind === "person" || author.kind === "lodge")
    return <span className="font-medium wrap-anywhere">{author.name}</span>;
  return (
    <span className="inline-flex max-w-full items-center gap-1 align-bottom font-medium">
      {author.kind === "app" ? <AppMark /> : <TokenMark />}
      <span className="truncate">{author.name}</span>
    </span>
  );
}

/** The mark of an app as author. */
function AppMark() {
  return (
    <span
      title="App"
      className="inline-flex h-4 shrink-0 items-center gap-0.5 rounded-sm bg-accent-soft px-1 text-[10px] font-semibold tracking-wide text-accent-ink uppercase"
    >
      <Smartphone aria-hidden className="size-2.5" />
      app
    </span>
  );
}

/** The mark of an API token as author. */
function TokenMark() {
  return (
    <span
      title="API token"
      className="inline-flex h-4 shrink-0 items-center gap-0.5 rounded-sm bg-accent-soft px-1 text-[10px] font-semibold tracking-wide text-accent-ink uppercase"
    >
      <KeyRound aria-hidden className="size-2.5" />
      <span className="sr-only">API </span>token
    </span>
  );
}
