/**
 * What the stream of `streamEvents` carries: ids alone, so that what a client shows it fetches anew. Each message has the
 * kind as its `event` and the ids as its `data`, in JSON. `resync` says that messages may have been missed (the client or
 * the server was disconnected): everything that is shown is to be fetched.
 */
export type LiveEvent =
  | { kind: "resync" }
  | { kind: "ticket.filed"; ticketId: string; boardId: string; columnId: string }
  | { kind: "ticket.changed"; ticketId: string; boardId: string; columnId: string }
  /** A move to another board is told of both: `fromBoardId` is the board that it left. */
  | {
      kind: "ticket.moved";
      ticketId: string;
      boardId: string;
      columnId: string;
      fromBoardId: string;
      fromColumnId: string;
    }
  | { kind: "ticket.commented"; ticketId: string; boardId: string; columnId: string }
  /** The card is no longer, or again, among those that its board shows; or it is gone for good. */
  | { kind: "ticket.archived"; ticketId: string; boardId: string; columnId: string }
  | { kind: "ticket.restored"; ticketId: string; boardId: string; columnId: string }
  | { kind: "ticket.deleted"; ticketId: string; boardId: string; columnId: string }
  /** The board's name, its settings, or its columns. */
  | { kind: "board.changed"; boardId: string }
  /** Projects, their names and order, and which boards they have. */
  | { kind: "projects.changed" }
  | { kind: "members.changed" }
  | { kind: "invitations.changed" }
  | { kind: "tokens.changed" }
  /** A reporter has answered. */
  | { kind: "reply.received"; threadId: string; eventId: string; appId: string }
  /** A member has written to a reporter, or closed the thread. */
  | { kind: "thread.changed"; threadId: string; eventId: string; appId: string }
  /** Events have come into the inbox of an app. */
  | { kind: "inbox.changed"; appId: string }
  /** The state of a problem, its occurrences or its cards. */
  | { kind: "problem.changed"; appId: string; problemId: string };

/** The kinds of `LiveEvent`. */
export const liveEventKinds = [
  "resync",
  "ticket.filed",
  "ticket.changed",
  "ticket.moved",
  "ticket.commented",
  "ticket.archived",
  "ticket.restored",
  "ticket.deleted",
  "board.changed",
  "projects.changed",
  "members.changed",
  "invitations.changed",
  "tokens.changed",
  "reply.received",
  "thread.changed",
  "inbox.changed",
  "problem.changed",
] as const satisfies readonly LiveEvent["kind"][];
