import { toHex } from "./compose-report.ts";

/** A message of a conversation. */
export type Message = {
  /** The position in the conversation, from 1. */
  number: number;
  author: "reporter" | "team";
  /** The name of the member who wrote it; null for the reporter. */
  authorName: string | null;
  /** Plain text. */
  text: string;
  createdAt: string;
};

/** A message of the reporter that is not posted yet, or that the server refused, with its error code in `refused`. */
export type UnsentMessage = { messageId: string; text: string; writtenAt: string; refused?: string };

/** A conversation on a report of this install. */
export type Thread = {
  id: string;
  /** Whether the conversation is read-only. */
  closed: boolean;
  /** All messages, oldest first. */
  messages: Message[];
  /** The unsent messages of the reporter, oldest first. */
  unsent: UnsentMessage[];
};

/** A conversation as it is stored. */
export type KeptThread = Thread & {
  /** Gives access to this conversation only. */
  token: string;
  /** The device to check for new messages: the install or, without an `installId`, this report alone. */
  device: { id: string; token: string };
};

/** The number of the latest message, or 0 if there is none. */
export const lastNumber = ({ messages }: Thread): number => messages.at(-1)?.number ?? 0;

/** A message of the reporter that the server has stored. */
export type Posted = { messageId: string; number: number };

/** Removes a message from the unsent ones. */
export function removeUnsent(thread: Thread, messageId: string): void {
  thread.unsent = thread.unsent.filter((unsent) => unsent.messageId !== messageId);
}

/** Whether a message is still to be posted. */
export const isDue = ({ refused }: UnsentMessage): boolean => refused === undefined;

/** Whether the conversation has any message. */
export const isTalked = ({ messages, unsent }: Thread): boolean => messages.length + unsent.length > 0;

const lastAt = ({ messages, unsent }: Thread): string => unsent.at(-1)?.writtenAt ?? messages.at(-1)?.createdAt ?? "";

/** Sorts the latest first. */
export const byLatest = (one: Thread, other: Thread): number => (lastAt(one) < lastAt(other) ? 1 : -1);

/** A conversation without its tokens. */
export const shown = ({ id, closed, messages, unsent }: KeptThread): Thread => ({ id, closed, messages, unsent });

/** A random UUID; unlike `crypto.randomUUID`, also on a page without TLS. */
export function makeMessageId(bytes: Uint8Array): string {
  return toHex(bytes).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-8$4-");
}

/** The most conversations to store. The oldest ones without messages are removed first. */
const threadsMax = 50;

/** Removes conversations above the limit. */
export function makeRoom(threads: KeptThread[]): void {
  while (threads.length > threadsMax) {
    const silent = threads.findIndex((thread) => !isTalked(thread));
    const answered = threads.findIndex(({ unsent }) => unsent.length === 0); // at the latest the one that came now
    threads.splice(silent < threads.length - 1 ? silent : answered, 1);
  }
}
