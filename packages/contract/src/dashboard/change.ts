/** A change of a ticket. For a move, `fromBoardId` and `fromColumnId` are the old place. */
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
  /** The ticket was archived, restored, or permanently deleted. */
  | { kind: "ticket.archived"; ticketId: string; boardId: string; columnId: string }
  | { kind: "ticket.restored"; ticketId: string; boardId: string; columnId: string }
  | { kind: "ticket.deleted"; ticketId: string; boardId: string; columnId: string };

/** A change in an organisation, by ids only. A use case announces it after the commit. */
export type Change =
  | TicketEvent
  /** The board's name, settings or columns, or many of its tickets at once. */
  | { kind: "board.changed"; boardId: string }
  /** Projects, their names and order, and which boards they have. */
  | { kind: "projects.changed" }
  /** The labels: names, colors, new or deleted labels. */
  | { kind: "labels.changed" }
  | { kind: "members.changed" }
  | { kind: "invitations.changed" }
  | { kind: "tokens.changed" }
  /** The subscribers, or whether one is disabled. */
  | { kind: "subscribers.changed" }
  /** The apps, their settings or SDK keys. */
  | { kind: "apps.changed" }
  /** The organisation's name. */
  | { kind: "organisation.changed" }
  /** The plan, the install limit, or which months count against it. */
  | { kind: "allowance.changed" }
  | { kind: "runners.changed" }
  | { kind: "hooks.changed" }
  /** The state or the result of an agent's run. */
  | { kind: "run.changed"; runId: string; ticketId: string }
  /** Its log has grown. */
  | { kind: "run.logged"; runId: string; ticketId: string }
  | { kind: "credits.changed" }
  /** A person's notifications, or whether they are read. */
  | { kind: "notices.changed"; userId: string }
  /** A person's saved views. */
  | { kind: "views.changed"; userId: string }
  /** A reporter has replied. */
  | { kind: "reply.received"; threadId: string; eventId: string; appId: string }
  /** A member has replied to a reporter, or closed the thread. */
  | { kind: "thread.changed"; threadId: string; eventId: string; appId: string }
  /** A member has read a thread. */
  | { kind: "thread.read"; threadId: string; userId: string }
  /** The inbox of an app has new events. */
  | { kind: "inbox.changed"; appId: string }
  /** A problem has occurred again, or for the first time. */
  | { kind: "problem.occurred"; appId: string; problemId: string }
  /** A problem's state, events or tickets. */
  | { kind: "problem.changed"; appId: string; problemId: string };
