import { type Message, type MessagePage, repliesPageMax } from "@lodge/contract/replies";
import type { Selectable } from "kysely";
import type { Messages } from "../../platform/database/database.generated.ts";
import type { Database } from "../../platform/database/database.ts";

/** The columns of a message that both sides see. */
export const messageColumns = ["number", "author", "author_name", "text", "created_at"] as const;

/** A message as both sides see it. */
export const toMessage = (row: Pick<Selectable<Messages>, (typeof messageColumns)[number]>): Message => ({
  number: row.number,
  author: row.author as Message["author"],
  authorName: row.author_name,
  text: row.text,
  createdAt: new Date(row.created_at).toISOString(),
});

/** The messages of a thread after a number, oldest first. */
export async function readMessages(
  db: Database,
  { app_id, id, closed_at, message_count }: { app_id: string; id: string; closed_at: unknown; message_count: number },
  after: number,
): Promise<MessagePage> {
  const messages = await db
    .selectFrom("messages")
    .select(messageColumns)
    .where("app_id", "=", app_id)
    .where("thread_id", "=", id)
    .where("number", ">", after)
    .orderBy("number")
    .limit(repliesPageMax)
    .execute();
  return {
    threadId: id,
    closed: closed_at !== null,
    messages: messages.map(toMessage),
    more: message_count > (messages.at(-1)?.number ?? message_count),
  };
}
