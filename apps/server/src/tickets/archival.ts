/**
 * What archiving a ticket writes of it, or restoring it. One that is done is so anew when it is restored: it stays on the
 * board for as long as any other.
 */
export const archival = (
  archived: boolean,
  isDone: boolean,
  now: Date,
): { archived_at: Date | null; done_at?: Date } =>
  archived ? { archived_at: now } : { archived_at: null, ...(isDone && { done_at: now }) };
