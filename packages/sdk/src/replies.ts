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
  shown,
  type Thread,
} from "./conversation.ts";
import type { Extension } from "./options.ts";
import type { Answer } from "./service.ts";
import type { Receipt } from "./types.ts";

export type { Message, Thread, UnsentMessage } from "./conversation.ts";

/** A reply that is kept. */
export type HandedReply = {
  messageId: string;
  /**
   * The message as it was posted, however much later. Rejects with a `LodgeError` where it will not be: its code is the
   * server's, `thread_closed` for one, or `closed`, after which it is posted by the next session. Nobody has to listen.
   */
  receipt: Promise<Message>;
};

/** The methods that `extend: replies()` adds to a `Lodge`. */
export type Replies = {
  /**
   * The conversations on reports of this install in which somebody has said something, the latest first: those that are
   * kept, with what is new at the server where it can be reached. New messages count as read by the reporter.
   */
  threads: () => Promise<Thread[]>;
  /**
   * Calls `look` with the conversations that are kept, now and whenever one of them changes, until the function that it
   * returns is called. Meanwhile the server is asked for news every 10 seconds, while the page is shown.
   */
  watchThreads: (look: (threads: Thread[]) => void) => () => void;
  /**
   * Writes to the team. Resolves when the text is kept, where neither a reload nor a crash loses it; it is posted when
   * the server can be reached, once however often that is tried. Rejects with a `LodgeError`: `not_found` for a
   * conversation that is not kept here, `closed` after `close()`.
   */
  reply: (threadId: string, text: string) => Promise<HandedReply>;
};

/** How to hear of replies. */
export type ReplyOptions = {
  /** Called once for each message of the team that is new, in every tab. */
  onReply?: (message: Message, thread: Thread) => void;
  /** How often to ask while the page is shown; none: a minute, at least 10 seconds. Nothing is asked before a first report. */
  everyMs?: number;
};

type News = { thread: Thread; messages: Message[] };

type Pending = { resolve: (message: Message) => void; reject: (error: unknown) => void };

/** The messages between tabs. */
type Told = { news?: News[]; posted?: { messageId: string; answer: Answer } };

/** The number of devices to ask about at a time: one, where the install is named. */
const devicesMax = 10;
const everyMsDefault = 60_000;
const everyMsMin = 10_000;
/** Waits between tries at posting, in milliseconds, of which each is cut by up to half at random; the last one repeats. */
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
      hasUnsent = true; // that tab may be gone before it has posted
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
          } catch {} // or what comes after it, and other tabs, would never be told
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
        const fresh = messages.filter(({ number }) => number > lastNumber(thread));
        const isChanged = fresh.length > 0 || thread.closed !== closed;
        thread.messages.push(...fresh);
        thread.closed = closed;
        return isChanged ? [{ thread: shown(thread), messages: fresh.filter(({ author }) => author === "team") }] : [];
      });
      if (news?.length) tell({ news });
    }

    /** Fetches what is new in a conversation; asking once more after the last of it confirms that it is kept. */
    async function fetchNews(thread: KeptThread) {
      for (let after = lastNumber(thread); ; ) {
        const path = `${listMessages.path.replace("{threadId}", thread.id)}?after=${after}`;
        const page = bodyOf<{ closed: boolean; messages: Message[] }>(await service(path, thread.token, {}));
        await add(thread.id, page.closed, page.messages);
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

    let hasUnsent = true; // of the session before
    let isPosting = false;
    let failures = 0;
    let notBefore = 0;
    /** Posts what is unsent, unless it is too early, another try is under way, or another tab is at it. */
    function wake() {
      if (!hasUnsent || isPosting || ending.aborted || Date.now() < notBefore) return;
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
      if (platform.isOnline()) notBefore = Date.now() + delayMs; // else it goes as soon as the network is back
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
        await fetchNews(thread).catch(() => {}); // itself, what the team wrote before it, or that it is closed
        await update((threads) => {
          const found = threads.find(({ id }) => id === thread.id);
          if (!found) return;
          if (answer.status >= 300) {
            for (const unsent of found.unsent)
              if (unsent.messageId === messageId) unsent.refused = `${answer.body.error ?? answer.status}`;
            return;
          }
          found.unsent = found.unsent.filter((unsent) => unsent.messageId !== messageId);
          const message = answer.body as Message;
          if (message.number === lastNumber(found) + 1) found.messages.push(message); // it could not be fetched
        });
        tell({ posted: { messageId, answer } });
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
          receipt.catch(() => {}); // nobody has to listen
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
