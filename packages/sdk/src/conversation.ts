import { toHex } from "./compose-report.ts";

/** A message of a conversation. */
export type Message = {
  /** Its place in the conversation, from 1. */
  number: number;
  author: "reporter" | "team";
  /** The name of the member who wrote it; null for the reporter. */
  authorName: string | null;
  /** Plain text. */
  text: string;
  createdAt: string;
};

/** A text of the reporter that is still to be posted, or that the server has refused for good, with its code. */
export type UnsentMessage = { messageId: string; text: string; writtenAt: string; refused?: string };

/** A conversation on a report of this install. */
export type Thread = {
  id: string;
  /** Whether it can only be read. */
  closed: boolean;
  /** All of them, the oldest first. */
  messages: Message[];
  /** The unsent messages of the reporter, in this order. */
  unsent: UnsentMessage[];
};

/** A conversation as it is kept. */
export type KeptThread = Thread & {
  /** Opens this conversation and nothing else. */
  token: string;
  /** The device to check for new messages: the install or, without an `installId`, this report alone. */
  device: { id: string; token: string };
};

/** The number of its latest message, 0 where there is none. */
export const lastNumber = ({ messages }: Thread): number => messages.at(-1)?.number ?? 0;

/** Whether a text is still to be posted. */
export const isDue = ({ refused }: UnsentMessage): boolean => refused === undefined;

/** Whether somebody has said something. */
export const isTalked = ({ messages, unsent }: Thread): boolean => messages.length + unsent.length > 0;

const lastAt = ({ messages, unsent }: Thread): string => unsent.at(-1)?.writtenAt ?? messages.at(-1)?.createdAt ?? "";

/** Sorts the latest first. */
export const byLatest = (one: Thread, other: Thread): number => (lastAt(one) < lastAt(other) ? 1 : -1);

/** A conversation without what opens it. */
export const shown = ({ id, closed, messages, unsent }: KeptThread): Thread => ({ id, closed, messages, unsent });

/** A random UUID, where the page need not be served with TLS. */
export function makeMessageId(bytes: Uint8Array): string {
  return toHex(bytes).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-8$4-");
}

/** Conversations that are kept; older ones in which nobody has said anything make way first. */
const threadsMax = 50;

/** Takes out those for which there is no room beside the latest. */
export function makeRoom(threads: KeptThread[]): void {
  while (threads.length > threadsMax) {
    const silent = threads.findIndex((thread) => !isTalked(thread));
    const answered = threads.findIndex(({ unsent }) => unsent.length === 0); // at the latest the one that came now
    threads.splice(silent < threads.length - 1 ? silent : answered, 1);
  }
}
