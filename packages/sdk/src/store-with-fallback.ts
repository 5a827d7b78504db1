import { memoryStore, type QueuedReport, type Store } from "./store.ts";

/**
 * A queue that takes what it is given even where the disk does not: makes room, then leaves out the attachments, and
 * keeps what is still refused in memory, for as long as the page or the process lives.
 */
export function withFallback(open: () => Promise<Store>): Store {
  const opened = open().catch(memoryStore);
  const memory = memoryStore();
  /** What fails on the disk is as if it were not there. */
  const both = async <T>(ask: (store: Store) => Promise<T>, whereNone: T): Promise<[T, T]> => [
    await opened.then(ask).catch(() => whereNone),
    await ask(memory),
  ];
  return {
    put: async (report, bytesMax) => {
      const store = await opened;
      const half = async () => (await store.list()).reduce((sum, row) => sum + row.bytes, 0) / 2;
      for (const [smaller, bytes] of [
        [report, async () => bytesMax],
        [report, half],
        [report, half], // after a quota was full the next transaction of Firefox may only delete, and fails
        [withoutAttachments(report), async () => bytesMax],
      ] as const) {
        try {
          return await store.put(smaller, await bytes());
        } catch {}
      }
      await memory.put(report, bytesMax);
    },
    list: async () => (await both((store) => store.list(), [])).flat(),
    read: async (id) => {
      const [stored, remembered] = await both((store) => store.read(id), undefined);
      return stored ?? remembered;
    },
    remove: async (id) => {
      await both((store) => store.remove(id), undefined);
    },
    get: async <T>(name: Parameters<Store["get"]>[0]) => {
      const [stored, remembered] = await both((store) => store.get<T>(name), undefined);
      return remembered ?? stored;
    },
    set: async (name, value) => {
      await opened.then((store) => store.set(name, value)).catch(() => memory.set(name, value));
    },
    close: async () => (await opened).close(),
  };
}

const withoutAttachments = ({ envelope: { attachments = [], ...envelope } }: QueuedReport): QueuedReport => ({
  parts: [],
  envelope: {
    ...envelope,
    dropped: [
      ...(envelope.dropped ?? []),
      ...attachments.map(({ partName, byteLength }) => ({ partName, reason: "no_storage", byteLength })),
    ],
  },
});
