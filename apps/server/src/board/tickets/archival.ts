import { type RawBuilder, sql } from "kysely";

/** The problem of a ticket that is reopened: null if another open ticket has it now. */
const problemIfReopened: RawBuilder<string | null> = sql`case when not exists (
  select from tickets other
  where other.organisation_id = tickets.organisation_id and other.problem_project_id = tickets.problem_project_id
    and other.problem = tickets.problem and other.archived_at is null and other.done_at is null
    and other.id <> tickets.id) then problem end`;

/**
 * The columns that archiving or restoring a ticket writes. A done ticket that is restored counts as done from now on,
 * so that it stays on the board as long as any other.
 */
export const archival = (archived: boolean, isDone: boolean, now: Date) => {
  if (archived) return { archived_at: now };
  return { archived_at: null, ...(isDone ? { done_at: now } : { problem: problemIfReopened }) };
};

/** The columns that moving a ticket into another column writes. */
export const doneness = (isDone: boolean, now: Date) =>
  isDone ? { done_at: now } : { done_at: null, problem: problemIfReopened };
