import { listDeviceThreads, listMessages, postMessage } from "@lodge/contract/calls.generated";
import {
  byLatest,
  isDue,
  isTalked,
  type KeptThread,
  lastNumber,
  type Message,
  makeMessageId,
  makeRoom,
  type Posted,
  removeUnsent,
  shown,
  type Thread,
} from "./conversation.ts";
import type { Extension } from "./options.ts";
import type { Answer } from "./service.ts";
import type { Receipt } from "./types.ts";

export type { Message, Thread, UnsentMessage } from "./conversation.ts";

/** A reply that is stored on the device. */
export type HandedReply = {
  messageId: string;
  /**
   * Resolves with the message once it is posted, perhaps much later. Rejects with a `LodgeError` if the server refuses
   * it, for example with `thread_closed`, or with `closed` after `close()`; the next session then posts it. May be
   * ignored.
   */
  receipt: Promise<Message>;
};

/** The methods that `extend: replies()` adds to a `Lodge`. */
export type Replies = {
  /**
   * The conversations with messages on reports of this install, latest first. Returns the stored ones, with new
   * messages if the server can be reached. New messages count as read by the reporter.
   */
  threads: () => Promise<Thread[]>;
  /**
   * Calls `look` with the stored conversations, now and whenever one changes. Polls the server every 10 seconds while
   * the page is visible. Returns a function that stops this.
   */
  watchThreads: (look: (threads: Thread[]) => void) => () => void;
  /**
   * Sends a message to the team. Resolves when it is stored on the device, where it survives a reload or crash. It is
   * posted exactly once, as soon as the server can be reached. Rejects with a `LodgeError`: `not_found` for a
   * conversation that is not stored here, `closed` after `close()`.
   */
  reply: (threadId: string, text: string) => Promise<HandedReply>;
};

/** The options of `replies`. */
export type ReplyOptions = {
  /** Called in every tab, once for each new message of the team. */
  onReply?: (message: Message, thread: Thread) => void;
  /** The polling interval while the page is visible: 60,000 by default, at least 10,000. Starts after a report. */
  everyMs?: number;
};

type News = { thread: Thread; messages: Message[] };

type Pending = { resolve: (message: Message) => void; reject: (error: unknown) => void };

/** The messages between tabs. */
type Told = { news?: News[]; posted?: { messageId: string; answer: Answer } };

/** The most devices to poll at a time. With an `installId` there is only one. */
const devicesMax = 10;
const everyMsDefault = 60_000;
const everyMsMin = 10_000;
/** Retry delays in milliseconds. Each is shortened by up to half at random (jitter). The last one repeats. */
const waitsMs = [1000, 2000, 5000, 30_000, 60_000];

/** Adds conversations with the team to a `Lodge`: `createLodge({ …, extend: replies({ onReply }) })`. */
export function replies({ onReply, everyMs = everyMsDefault }: ReplyOptions = {}): Extension<Replies> {
  return (core) => {
    const { platform, store, service, bodyOf, ending } = core;
    const name = `${core.name}:replies`;
    const watchers = new Set<(threads: Thread[]) => void>();
    const pending = new Map<string, Pending>();
    const refuse = (error: string) => bodyOf<never>({ status: 400, body: { error }, retryAfter: null });

    const channel = platform.channel(name, (told) => {
      hear(told as Told);
      hasUnsent = true; // that tab may close before it posts
      wake();
    });
    ending.addEventListener("abort", () => {
      channel.close();
      const closed = { status: 400, body: { error: "closed" }, retryAfter: null };
      for (const messageId of pending.keys()) settle(messageId, closed);
    });
    function tell(told: Told) {
      hear(told);
      if (!ending.aborted) channel.tell(told);
    }
    function hear({ news = [], posted }: Told) {
      for (const { thread, messages } of news) {
        for (const message of messages) {
          try {
            onReply?.(message, thread);
          } catch {} // so that later messages and other tabs are still notified
        }
      }
      if (posted) settle(posted.messageId, posted.answer);
      void show();
    }
    function settle(messageId: string, answer: Answer) {
      const waiting = pending.get(messageId);
      pending.delete(messageId);
      try {
        waiting?.resolve(bodyOf<Message>(answer));
      } catch (error) {
        waiting?.reject(error);
      }
    }

    const kept = async () => (await store.get<KeptThread[]>("threads")) ?? [];
    const talked = async () => (await kept()).filter(isTalked).sort(byLatest).map(shown);
    async function show() {
      if (watchers.size === 0) return;
      const threads = await talked();
      for (const look of watchers) look(threads);
    }

    /** Changes the stored conversations under a lock; resolves with the result of `change`. */
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

    /** Adds new messages to a conversation, and notifies the app of the team's messages. */
    async function add(id: string, closed: boolean, messages: readonly Message[], posted?: Posted) {
      const news = await update((threads) => {
        const thread = threads.find((thread) => thread.id === id);
        if (!thread) return [];
        const fresh = messages.filter(({ number }) => number > lastNumber(thread));
        const isChanged = fresh.length > 0 || thread.closed !== closed;
        thread.messages.push(...fresh);
        if (posted && fresh.some(({ number }) => number === posted.number)) removeUnsent(thread, posted.messageId);
        thread.closed = closed;
        return isChanged ? [{ thread: shown(thread), messages: fresh.filter(({ author }) => author === "team") }] : [];
      });
      if (news?.length) tell({ news });
    }

    /** Fetches new messages of a conversation. A last request after the newest message confirms that it was stored. */
    async function fetchNews(thread: KeptThread, posted?: Posted) {
      for (let after = lastNumber(thread); ; ) {
        const path = `${listMessages.path.replace("{threadId}", thread.id)}?after=${after}`;
        const page = bodyOf<{ closed: boolean; messages: Message[] }>(await service(path, thread.token, {}));
        await add(thread.id, page.closed, page.messages, posted);
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

    let hasUnsent = true; // from the previous session
    let isPosting = false;
    let failures = 0;
    let retryAt = 0;
    /** Posts unsent messages, unless a retry delay, another attempt or another tab is in progress. */
    function wake() {
      if (!hasUnsent || isPosting || ending.aborted || Date.now() < retryAt) return;
      isPosting = true;
      hasUnsent = false;
      void platform
        .alone(`${name}:post`, ending, postAll)
        .catch(() => later())
        .then(() => {
          isPosting = false;
          wake();
        });
    }
    function later(retryAfter?: string | null) {
      hasUnsent = true;
      const waitMs = waitsMs[Math.min(failures++, waitsMs.length - 1)] ?? 0;
      const namedMs = (retryAfter && (Number(retryAfter) * 1000 || Date.parse(retryAfter) - Date.now())) || 0;
      const delayMs = Math.max(waitMs * (1 - Math.random() / 2), namedMs);
      if (platform.isOnline()) retryAt = Date.now() + delayMs; // otherwise it is posted when the network is back
      if (!ending.aborted) platform.after(delayMs, wake);
    }
    async function postAll() {
      for (;;) {
        const thread = (await kept()).find(({ unsent }) => unsent.some(isDue));
        const next = thread?.unsent.find(isDue);
        if (!thread || !next) return;
        const { messageId, text } = next;
        const answer = await service(postMessage.path.replace("{threadId}", thread.id), thread.token, {
          method: postMessage.method,
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ text, messageId }),
        });
        if (!answer || answer.status === 429 || answer.status >= 500) return later(answer?.retryAfter);
        failures = 0;
        const posted = answer.status < 300 ? { messageId, number: (answer.body as Message).number } : undefined;
        await fetchNews(thread, posted).catch(() => {}); // itself, what the team wrote before it, or that it is closed
        await update((threads) => {
          const found = threads.find(({ id }) => id === thread.id);
          if (!found) return;
          if (answer.status >= 300) {
            for (const unsent of found.unsent)
              if (unsent.messageId === messageId) unsent.refused = `${answer.body.error ?? answer.status}`;
            return;
          }
          removeUnsent(found, messageId);
          if (posted?.number === lastNumber(found) + 1) found.messages.push(answer.body as Message); // the fetch failed
        });
        tell({ posted: { messageId, answer } });
      }
    }

    let isAsking = false;
    async function look() {
      if (isAsking || globalThis.document?.hidden) return;
      isAsking = true;
      await fetchAll().catch(() => {}); // at the next poll
      isAsking = false;
    }
    let cancel = () => {};
    function plan() {
      cancel();
      if (ending.aborted || (!onReply && watchers.size === 0)) return;
      const waitMs = watchers.size > 0 ? everyMsMin : Math.max(everyMs, everyMsMin);
      cancel = platform.after(waitMs, () => void look().then(plan));
    }
    ending.addEventListener("abort", () => cancel());
    platform.watch(wake, () => {}, ending);
    plan();
    if (onReply) void look();
    wake();

    return {
      methods: {
        threads: async () => {
          await fetchAll().catch(() => {});
          return talked();
        },
        watchThreads: (watcher) => {
          watchers.add(watcher);
          void show();
          void look();
          plan();
          return () => {
            watchers.delete(watcher);
            plan();
          };
        },
        reply: async (threadId, text) => {
          if (ending.aborted) return refuse("closed");
          const messageId = makeMessageId(platform.randomBytes(16));
          const receipt = new Promise<Message>((resolve, reject) => pending.set(messageId, { resolve, reject }));
          receipt.catch(() => {}); // callers may ignore the receipt
          const isKept = await update((threads) => {
            const thread = threads.find(({ id }) => id === threadId);
            thread?.unsent.push({ messageId, text, writtenAt: new Date().toISOString() });
            return thread !== undefined;
          });
          if (!isKept) return refuse("not_found");
          tell({});
          hasUnsent = true;
          wake();
          return { messageId, receipt };
        },
      },
      received: async ({ thread, device }: Receipt) => {
        if (!thread || !device) return;
        await update((threads) => {
          if (threads.some(({ id }) => id === thread.id)) return;
          threads.push({ id: thread.id, token: thread.token, device, closed: false, messages: [], unsent: [] });
          makeRoom(threads);
        }).catch(() => {});
      },
    };
  };
}
