import type { MessagePage } from "@lodge/contract/replies";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { readMessages } from "./read-messages.ts";

/** The messages of a thread of the organisation after a message number. Throws `thread_not_found`. */
export async function readAsMember(
  { db }: Deps,
  { organisationId }: Actor,
  threadId: string,
  after: number,
): Promise<MessagePage> {
  const thread = await db
    .selectFrom("threads")
    .select(["app_id", "id", "closed_at", "message_count"])
    .where("organisation_id", "=", organisationId)
    .where("id", "=", threadId)
    .executeTakeFirst();
  if (!thread) throw new Refusal("thread_not_found");
  return readMessages(db, thread, after);
}
