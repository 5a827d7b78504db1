import type { Message, PostMessage } from "@lodge/contract/replies";
import { sql } from "kysely";
import type { Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { queueReply } from "./queue-reply.ts";
import { messageColumns, toMessage } from "./read-messages.ts";

/** The owner of the thread: an app, or the organisation of a member. */
type ThreadOwner = { app_id: string } | { organisation_id: string };

/** The author: the reporter, or a member. */
type Author = "reporter" | { userId: string; name: string };

/**
 * Posts a message and notifies dashboards. Sends the reporter's messages to subscribers (`reply.received`). If the
 * sender has already posted a message with this messageId, returns that one. Throws `thread_not_found` or
 * `thread_closed`; a retry of a message posted before the thread was closed still succeeds.
 */
export async function postMessage(
  { db, clock, announceJobs }: Deps,
  owner: ThreadOwner,
  threadId: string,
  author: Author,
  { text, messageId }: PostMessage,
): Promise<Message> {
  const side = author === "reporter" ? "reporter" : "team";
  const { message, deliveries } = await db.transaction().execute(async (tx) => {
    const thread = await tx
      .selectFrom("threads")
      .select(["organisation_id", "app_id", "event_id", "id", "closed_at", "message_count"])
      .where((eb) => eb.and({ ...owner, id: threadId }))
      .forUpdate()
      .executeTakeFirst();
    if (!thread) throw new Refusal("thread_not_found");
    // This lock keeps the event until the commit; from then on, the thread's message keeps it.
    const held = tx
      .selectFrom("events")
      .where("app_id", "=", thread.app_id)
      .where("id", "=", thread.event_id)
      .select("id");
    if (!(await held.forKeyShare().executeTakeFirst())) throw new Refusal("thread_not_found");
    const posted = messageId && (await findPosted(tx, thread, side, messageId));
    if (posted) return { message: posted, deliveries: 0 };
    if (thread.closed_at !== null) throw new Refusal("thread_closed");

    const number = thread.message_count + 1;
    const row = await writeMessage(tx, thread, author, { number, text, messageId, at: clock.now() });
    await publish(tx, thread.organisation_id, {
      kind: side === "reporter" ? "reply.received" : "thread.changed",
      threadId: thread.id,
      eventId: thread.event_id,
      appId: thread.app_id,
    });
    const queued = side === "reporter" ? await queueReply(tx, thread, number) : 0;
    return { message: toMessage(row), deliveries: queued };
  });
  if (deliveries > 0) announceJobs();
  return message;
}

async function writeMessage(
  tx: Transaction,
  thread: { app_id: string; id: string },
  author: Author,
  { number, text, messageId, at }: { number: number; text: string; messageId: string | undefined; at: Date },
) {
  const isTeam = author !== "reporter";
  await tx
    .updateTable("threads")
    .set({ message_count: number, last_message_at: at, ...(isTeam && { team_number: number }) })
    .where("app_id", "=", thread.app_id)
    .where("id", "=", thread.id)
    .execute();
  return await tx
    .insertInto("messages")
    .values({
      app_id: thread.app_id,
      thread_id: thread.id,
      number,
      client_id: messageId ?? null,
      author: isTeam ? "team" : "reporter",
      author_user_id: isTeam ? author.userId : null,
      author_name: isTeam ? author.name : null,
      text,
      created_at: at,
    })
    .returning(messageColumns)
    .executeTakeFirstOrThrow();
}

async function findPosted(
  tx: Transaction,
  thread: { app_id: string; id: string },
  side: Message["author"],
  messageId: string,
): Promise<Message | undefined> {
  const row = await tx
    .selectFrom("messages")
    .select(messageColumns)
    .where("app_id", "=", thread.app_id)
    .where("thread_id", "=", thread.id)
    .where("author", "=", side)
    .where("client_id", "=", sql<string>`${messageId}::uuid`)
    .executeTakeFirst();
  return row && toMessage(row);
}
