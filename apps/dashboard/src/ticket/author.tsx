import { KeyRound } from "lucide-react";

/** Who filed, wrote or did something; a token is marked as one. */
export function Author({ author }: { author: { kind: "token" | "person"; name: string } }) {
  if (author.kind === "person") return <span className="font-medium wrap-anywhere">{author.name}</span>;
  return (
    <span className="inline-flex max-w-full items-center gap-1 align-bottom font-medium">
      <TokenMark />
      <span className="truncate">{author.name}</span>
    </span>
  );
}

/** Says that an API token did it. */
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
