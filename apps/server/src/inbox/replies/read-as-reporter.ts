import type { MessagePage } from "@lodge/contract/replies";
import { sql } from "kysely";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { readMessages } from "./read-messages.ts";

/**
 * The messages of a thread after a message number. Asking for messages after a number confirms the messages up to it:
 * only then they are no longer unread, so that lost responses do no harm. Throws `thread_not_found`.
 */
export async function readAsReporter(
  { db, announce }: Deps,
  appId: string,
  threadId: string,
  after: number,
): Promise<MessagePage> {
  const ofThread = { app_id: appId, id: threadId };
  const thread = await db
    .selectFrom("threads")
    .select(["organisation_id", "app_id", "id", "event_id", "closed_at", "message_count", "read_number"])
    .where((eb) => eb.and(ofThread))
    .executeTakeFirst();
  if (!thread) throw new Refusal("thread_not_found");
  const confirmed = Math.min(after, thread.message_count);
  if (confirmed > thread.read_number) {
    await db
      .updateTable("threads")
      .set({ read_number: sql`greatest(read_number, ${confirmed})` })
      .where((eb) => eb.and(ofThread))
      .execute();
    announce(thread.organisation_id, { kind: "thread.changed", threadId, eventId: thread.event_id, appId });
  }
  return readMessages(db, thread, after);
}
