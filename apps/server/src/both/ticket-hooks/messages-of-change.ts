import type { TicketType } from "@lodge/contract/dashboard/hooks";

/** Fields of a ticket with their values before and after, by the API's names. */
export type Changes = Record<string, { from: unknown; to: unknown }>;

/** The parts of a message besides the ticket. */
export type Message = { type: TicketType; changes: Changes; commentId?: string };

/** A row of `ticket_changes`. */
export type NotedChange = { kind: string; changes: Changes | null; commentId: string | null };

const places = ["boardId", "columnId"];

/**
 * The messages for the changes that one transaction made to a ticket: at most one of each type, and one for each
 * comment. A card that became done gets no message about the move.
 */
export function messagesOfChanges(noted: readonly NotedChange[]): Message[] {
  const changes = merged(noted.flatMap(({ changes }) => (changes ? [changes] : [])));
  const isSet = (field: string) => changes[field]?.from === null && changes[field]?.to !== null;
  const pick = (isPicked: (field: string) => boolean) =>
    Object.fromEntries(Object.entries(changes).filter(([field]) => isPicked(field)));
  const isArchived = isSet("archivedAt");
  const isDone = isSet("doneAt");
  const isPlaced = places.some((field) => field in changes);
  const moves = isDone || isPlaced;
  const moving = pick((field) => places.includes(field) || field === "doneAt");
  const others = pick(
    (field) => !places.includes(field) && !(field === "doneAt" && moves) && !(field === "archivedAt" && isArchived),
  );
  const isNew = noted.some(({ kind }) => kind === "ticket.filed");
  const comments = noted.flatMap(({ kind, commentId }) => (kind === "ticket.commented" && commentId ? commentId : []));
  return [
    ...(isNew ? [{ type: "ticket.created" as const, changes: {} }] : []),
    ...(!isNew && Object.keys(others).length > 0 ? [{ type: "ticket.changed" as const, changes: others }] : []),
    ...(!isNew && moves
      ? [{ type: isDone ? ("ticket.done" as const) : ("ticket.moved" as const), changes: moving }]
      : []),
    ...(isArchived ? [{ type: "ticket.archived" as const, changes: pick((field) => field === "archivedAt") }] : []),
    ...comments.map((commentId) => ({ type: "ticket.commented" as const, changes: {}, commentId })),
  ];
}

/** Merges several changes of a field into one, from its first value to its last; none if they are equal. */
function merged(each: readonly Changes[]): Changes {
  const changes: Changes = {};
  for (const one of each) {
    for (const [field, { from, to }] of Object.entries(one))
      changes[field] = { from: changes[field]?.from ?? from, to };
  }
  return Object.fromEntries(
    Object.entries(changes)
      .filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to))
      .map(([field, { from, to }]) => [field, { from: asShown(field, from), to: asShown(field, to) }]),
  );
}

/** Times in the API's format. */
const asShown = (field: string, value: unknown): unknown =>
  (field === "doneAt" || field === "archivedAt") && typeof value === "string" ? new Date(value).toISOString() : value;
