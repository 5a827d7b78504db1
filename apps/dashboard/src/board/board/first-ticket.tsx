import { Link } from "@tanstack/react-router";
import type { LoadedBoard } from "../../api/patch-board.ts";
import { useSession } from "../../session/use-session.ts";
import { Copyable } from "../../ui/copyable.tsx";
import { ticketCurl } from "../../ui/curl.ts";

/** The empty state of a board without cards: the request that files the first one. */
export function FirstTicket({ board, columnId }: { board: LoadedBoard; columnId: string }) {
  const { organisation } = useSession();
  return (
    <div className="m-1 -mt-7 flex flex-col gap-3 rounded-lg border border-line bg-surface p-3 shadow-card">
      <p className="flex items-center gap-2 font-medium">
        <span aria-hidden className="relative flex size-2.5">
          <span className="absolute inset-0 rounded-full bg-accent opacity-60 motion-safe:animate-ping" />
          <span className="size-2.5 rounded-full bg-accent" />
        </span>
        Waiting for the first card
      </p>
      <p className="text-sm text-muted">
        A CI job, a cron job or a bot can create a card with one request. The card appears here immediately.
      </p>
      <Copyable
        title="From a terminal"
        text={ticketCurl({ projectId: board.project.id, boardId: board.id, columnId })}
      />
      <p className="text-sm text-muted">
        {organisation.role === "member" ? (
          "The command needs an API token in the environment variable LODGE_TOKEN. Ask an owner or admin for one."
        ) : (
          <>
            The command needs{" "}
            <Link to="/tokens" className="text-accent-ink underline underline-offset-2">
              an API token
            </Link>{" "}
            in the environment variable LODGE_TOKEN.{" "}
          </>
        )}{" "}
        Or press C to create a card yourself.
      </p>
    </div>
  );
}
