import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/**
 * Records that a member has read a thread up to a message number, at most up to the last message. The number never
 * decreases. Throws `thread_not_found`.
 */
export async function markThreadRead(
  { db, announce }: Deps,
  { organisationId, userId }: Actor,
  threadId: string,
  number: number,
): Promise<void> {
  const { rows } = await sql<{ is_news: boolean }>`
    with thread as (
      select app_id, id, least(message_count, ${number}::integer) as number from threads
      where organisation_id = ${organisationId} and id = ${threadId}
    ), read as (
      insert into thread_reads as known (app_id, thread_id, user_id, number)
      select app_id, id, ${userId}, number from thread where number > 0
      on conflict (app_id, thread_id, user_id) do update set number = excluded.number where known.number < excluded.number
      returning number
    )
    select exists (select from read) as is_news from thread`.execute(db);
  const [thread] = rows;
  if (!thread) throw new Refusal("thread_not_found");
  if (thread.is_news) announce(organisationId, { kind: "thread.read", threadId, userId });
}
