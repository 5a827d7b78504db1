/** What happened to a ticket. Of a move, `fromBoardId` and `fromColumnId` are the place that it left. */
export type TicketEvent =
  | { kind: "ticket.filed"; ticketId: string; boardId: string; columnId: string }
  | { kind: "ticket.changed"; ticketId: string; boardId: string; columnId: string }
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
  | { kind: "ticket.deleted"; ticketId: string; boardId: string; columnId: string };

/** What happened in an organisation, by ids alone: what a use case tells of, once it is committed. */
export type Change =
  | TicketEvent
  /** The board's name, its settings, its columns, or more of its cards than are told one by one. */
  | { kind: "board.changed"; boardId: string }
  /** Projects, their names and order, and which boards they have. */
  | { kind: "projects.changed" }
  | { kind: "members.changed" }
  | { kind: "invitations.changed" }
  | { kind: "tokens.changed" }
  /** Who is told of events, or whether somebody is disabled. */
  | { kind: "subscribers.changed" }
  /** The apps, what is set for one, or its SDK keys. */
  | { kind: "apps.changed" }
  /** The organisation's name. */
  | { kind: "organisation.changed" }
  /** The plan, the install limit, or which months count against it. */
  | { kind: "allowance.changed" }
  | { kind: "runners.changed" }
  | { kind: "hooks.changed" }
  /** The state of a run of the agent's, or what came of it. */
  | { kind: "run.changed"; runId: string; ticketId: string }
  /** Its log has grown. */
  | { kind: "run.logged"; runId: string; ticketId: string }
  | { kind: "credits.changed" }
  /** What a person is to be told, or whether it is read. */
  | { kind: "notices.changed"; userId: string }
  /** The views that a person has saved. */
  | { kind: "views.changed"; userId: string }
  /** A reporter has answered. */
  | { kind: "reply.received"; threadId: string; eventId: string; appId: string }
  /** A member has written to a reporter, or closed the thread. */
  | { kind: "thread.changed"; threadId: string; eventId: string; appId: string }
  /** A member has read what a reporter wrote. */
  | { kind: "thread.read"; threadId: string; userId: string }
  /** Events have come into the inbox of an app. */
  | { kind: "inbox.changed"; appId: string }
  /** A problem has occurred again, or for the first time. */
  | { kind: "problem.occurred"; appId: string; problemId: string }
  /** The state of a problem, what belongs to it, or its cards. */
  | { kind: "problem.changed"; appId: string; problemId: string };
