import type { ThreadSummary } from "@lodge/contract/dashboard/threads";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import { Refusal } from "../../platform/errors.ts";
import { selectThreads } from "./list-threads.ts";

/** A thread of the organisation, as a member sees it. Throws `thread_not_found`. */
export async function getThread({ db }: { db: Database }, actor: Actor, threadId: string): Promise<ThreadSummary> {
  const [thread] = await selectThreads(db, actor, sql`threads.id = ${threadId}`);
  if (!thread) throw new Refusal("thread_not_found");
  return thread;
}
