import type { Card } from "./boards.ts";
import type { Change, TicketEvent } from "./change.ts";

/** The state of a ticket after a change. It may include later changes, which are sent as well. */
export type TicketState = {
  /** The current ticket; null if it is no longer on a board. */
  card: Card | null;
  /** The number of tickets in the affected columns. */
  columns: readonly { id: string; cardCount: number }[];
};

/**
 * The messages of `streamEvents`. Each message has the kind as its `event`, the position in the stream as its `id`,
 * and the rest as its `data`, in JSON. A change to a ticket includes its current state, so that no client needs to
 * fetch it. `resync` says that messages were missed (the client or the server was disconnected for too long):
 * the client's data must be fetched again. The server sends `alive` every 20 seconds.
 */
export type LiveEvent =
  | { kind: "resync" }
  | { kind: "alive" }
  | Exclude<Change, TicketEvent>
  | (TicketEvent & TicketState);

/** The kinds of `LiveEvent`. */
export const liveEventKinds = [
  "resync",
  "alive",
  "ticket.filed",
  "ticket.changed",
  "ticket.moved",
  "ticket.commented",
  "ticket.archived",
  "ticket.restored",
  "ticket.deleted",
  "board.changed",
  "projects.changed",
  "labels.changed",
  "members.changed",
  "invitations.changed",
  "tokens.changed",
  "subscribers.changed",
  "apps.changed",
  "organisation.changed",
  "allowance.changed",
  "runners.changed",
  "hooks.changed",
  "run.changed",
  "run.logged",
  "credits.changed",
  "notices.changed",
  "views.changed",
  "reply.received",
  "thread.changed",
  "thread.read",
  "inbox.changed",
  "problem.occurred",
  "problem.changed",
] as const satisfies readonly LiveEvent["kind"][];
