/**
 * The dashboard's API: `GET /api/dashboard/events`, a stream of server-sent events (`text/event-stream`); every role.
 *
 * Each message has the kind as its `event`, and as its `data` JSON with ids alone: what a client shows it fetches anew.
 * It carries what happens in the organisation that was the current one when the stream was opened; after switching, open
 * another. A comment line comes every 20 seconds. `resync` says that messages may have been missed (the client or the
 * server was disconnected): fetch everything that is shown.
 * Errors: 429 `too_many_streams` (8 for each session). The server ends the stream of a session that has ended and of a
 * member who was removed; the browser reconnects by itself and is answered with 401 or 403.
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
  /** The board's name or its columns. */
  | { kind: "board.changed"; boardId: string }
  /** Projects, their names and order, and which boards they have. */
  | { kind: "projects.changed" }
  | { kind: "members.changed" }
  | { kind: "invitations.changed" }
  | { kind: "tokens.changed" }
  /** A reporter has answered. */
  | { kind: "reply.received"; threadId: string; eventId: string; appId: string }
  /** A member has written to a reporter, or closed the thread. */
  | { kind: "thread.changed"; threadId: string; eventId: string; appId: string };
