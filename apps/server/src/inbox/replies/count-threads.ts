import type { ThreadCounts } from "@lodge/contract/dashboard/threads";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { joinReadsSql, unreadSql, waitingSql } from "./list-threads.ts";

const countedMax = 1_000;

/**
 * The number of threads of an organisation that wait for an answer, and how many of those have messages that the member
 * has not read; each up to 1,000.
 */
export async function countThreads({ db }: Deps, { organisationId, userId }: Actor): Promise<ThreadCounts> {
  const { rows } = await sql<ThreadCounts>`
    select count(*) filter (where is_unread) as "unreadCount", count(*) as "waitingCount" from (
      select ${unreadSql} as is_unread from threads ${joinReadsSql(userId)}
      where threads.organisation_id = ${organisationId} and ${waitingSql}
      order by threads.last_message_at desc, threads.id desc limit ${sql.lit(countedMax)}) waiting`.execute(db);
  return rows[0] ?? { unreadCount: 0, waitingCount: 0 };
}
