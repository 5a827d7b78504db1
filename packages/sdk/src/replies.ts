import { listDeviceThreads, listMessages, postMessage } from "@lodge/contract/calls.generated";
import { toHex } from "./compose-report.ts";
import type { Extension, Receipt } from "./types.ts";

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

/** A conversation on a report of this install. */
export type Thread = {
  id: string;
  /** Whether it can only be read. */
  closed: boolean;
  /** All of them, the oldest first. */
  messages: Message[];
};

/** What a `Lodge` can do besides where it was made with `extend: replies()`. */
export type Replies = {
  /**
   * The conversations on reports of this install in which there are messages, the latest first: those that are kept, with
   * what is new at the server where it can be reached. Whatever is new counts as read by the reporter.
   */
  threads: () => Promise<Thread[]>;
  /**
   * Writes to the team; resolves with the message as it was posted, once however often it is tried. Rejects with a
   * `LodgeError`: `unreachable`, `thread_closed`, `not_found` for a conversation that is not kept here, or the server's code.
   */
  reply: (threadId: string, text: string) => Promise<Message>;
};

/** How to hear of replies. */
export type ReplyOptions = {
  /** Called once for each message of the team that is new, in every tab. */
  onReply?: (message: Message, thread: Thread) => void;
  /** How often to ask while the page is shown; none: a minute, at least 10 seconds. Nothing is asked before a first report. */
  everyMs?: number;
};

type KeptThread = Thread & {
  /** Opens this conversation and nothing else. */
  token: string;
  /** Who is asked for news: the install or, without an `installId`, this report alone. */
  device: { id: string; token: string };
};

type News = { thread: Thread; messages: Message[] };

/** Conversations that are kept; older ones without messages make way first. */
const threadsMax = 50;
/** Those who are asked for news at a time: one, where the install is named. */
const devicesMax = 10;
const everyMsDefault = 60_000;
const everyMsMin = 10_000;
const triesMax = 3;
const retryMs = 1000;

/** Adds conversations with the team to a `Lodge`: `createLodge({ …, extend: replies({ onReply }) })`. */
export function replies({ onReply, everyMs = everyMsDefault }: ReplyOptions = {}): Extension<Replies> {
  return (core) => {
    const { platform, store, service, bodyOf, ending } = core;
    const name = `${core.name}:replies`;
    const channel = platform.channel(name, (message) => tell(message as News[]));
    ending.addEventListener("abort", () => channel.close());

    function tell(news: readonly News[]) {
      for (const { thread, messages } of news) for (const message of messages) onReply?.(message, thread);
    }

    const kept = async () => (await store.get<KeptThread[]>("threads")) ?? [];

    /** Changes what is kept while no other tab does; resolves with what `change` returns. */
    let changed: Promise<unknown> = Promise.resolve();
    function update<T>(change: (threads: KeptThread[]) => T): Promise<T | undefined> {
      const result = changed.then(async () => {
        let result: T | undefined;
        await platform.alone(name, ending, async () => {
          const threads = await kept();
          result = change(threads);
          await store.set("threads", threads);
        });
        return result;
      });
      changed = result.catch(() => {});
      return result;
    }

    /** Adds what is new to a conversation, and tells of what the team wrote. */
    async function add(id: string, closed: boolean, messages: readonly Message[]) {
      const news = await update((threads) => {
        const thread = threads.find((thread) => thread.id === id);
        if (!thread) return [];
        const fresh = messages.filter(({ number }) => number > (thread.messages.at(-1)?.number ?? 0));
        thread.messages.push(...fresh);
        thread.closed = closed;
        return [{ thread: shown(thread), messages: fresh.filter(({ author }) => author === "team") }];
      });
      if (!news?.some(({ messages }) => messages.length > 0)) return;
      tell(news);
      channel.tell(news);
    }

    /** Fetches what is new in a conversation; asking once more after the last of it confirms that it is kept. */
    async function fetchNews({ id, token, messages }: KeptThread) {
      for (let after = messages.at(-1)?.number ?? 0; ; ) {
        const path = `${listMessages.path.replace("{threadId}", id)}?after=${after}`;
        const page = bodyOf<{ closed: boolean; messages: Message[] }>(await service(path, token, {}));
        await add(id, page.closed, page.messages);
        if (page.messages.length === 0) return;
        after = page.messages.at(-1)?.number ?? after;
      }
    }

    async function fetchAll() {
      const threads = await kept();
      const devices = new Map(threads.map(({ device }) => [device.id, device]));
      for (const { id, token } of [...devices.values()].slice(-devicesMax)) {
        const path = listDeviceThreads.path.replace("{deviceId}", id);
        const news = bodyOf<{ threads: { id: string }[] }>(await service(path, token, {})).threads;
        for (const { id } of news) {
          const thread = threads.find((thread) => thread.id === id);
          if (thread) await fetchNews(thread);
        }
      }
    }

    /** The id of a message whose answer was not seen, so that trying again does not post it twice. */
    const underWay = new Map<string, string>();
    async function post(thread: KeptThread, text: string): Promise<Message> {
      const said = JSON.stringify([thread.id, text]);
      const messageId = underWay.get(said) ?? makeMessageId(platform.randomBytes(16));
      underWay.set(said, messageId);
      const init = {
        method: postMessage.method,
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text, messageId }),
      };
      for (let tried = 1; ; tried++) {
        const answer = await service(postMessage.path.replace("{threadId}", thread.id), thread.token, init);
        if ((answer && answer.status < 500) || tried === triesMax) {
          const message = bodyOf<Message>(answer);
          underWay.delete(said);
          return message;
        }
        await new Promise<void>((resolve) => platform.after(retryMs, resolve));
      }
    }

    let isAsking = false;
    async function look() {
      if (isAsking || globalThis.document?.hidden) return;
      isAsking = true;
      await fetchAll().catch(() => {}); // the next time
      isAsking = false;
    }
    let cancel = () => {};
    const later = () => {
      cancel = platform.after(Math.max(everyMs, everyMsMin), () => void look().then(later));
    };
    if (onReply && !ending.aborted) {
      later();
      void look();
      ending.addEventListener("abort", () => cancel());
    }

    return {
      methods: {
        threads: async () => {
          await fetchAll().catch(() => {});
          const talked = (await kept()).filter(({ messages }) => messages.length > 0);
          const lastAt = ({ messages }: Thread) => messages.at(-1)?.createdAt ?? "";
          return talked.sort((one, other) => (lastAt(one) < lastAt(other) ? 1 : -1)).map(shown);
        },
        reply: async (threadId, text) => {
          const thread = (await kept()).find(({ id }) => id === threadId);
          if (!thread) return bodyOf<never>({ status: 404, body: { error: "not_found" }, retryAfter: null });
          try {
            return await post(thread, text);
          } finally {
            await fetchNews(thread).catch(() => {}); // what the team wrote meanwhile, or that it is closed
          }
        },
      },
      received: async ({ thread, device }: Receipt) => {
        if (!thread || !device) return;
        await update((threads) => {
          if (threads.some(({ id }) => id === thread.id)) return;
          threads.push({ id: thread.id, token: thread.token, device, closed: false, messages: [] });
          while (threads.length > threadsMax) {
            const silent = threads.findIndex(({ messages }) => messages.length === 0);
            threads.splice(Math.max(silent, 0), 1);
          }
        }).catch(() => {});
      },
    };
  };
}

/** A conversation without what opens it. */
const shown = ({ id, closed, messages }: KeptThread): Thread => ({ id, closed, messages });

/** A random UUID, where the page need not be served with TLS. */
function makeMessageId(bytes: Uint8Array): string {
  return toHex(bytes).replace(/^(.{8})(.{4}).(.{3}).(.{3})/, "$1-$2-4$3-8$4-");
}
