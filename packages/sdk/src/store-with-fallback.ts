import { memoryStore, type QueuedReport, type Store, tellLost } from "./store.ts";

/**
 * A queue that accepts reports even if the disk refuses them: it removes old reports, then drops attachments, and at
 * last keeps the report in memory for as long as the page or process lives.
 */
export function withFallback(open: () => Promise<Store>): Store {
  const opened = open().catch(memoryStore);
  const memory = memoryStore();
  /** A report that cannot be read from the disk is treated as missing. */
  const both = async <T>(ask: (store: Store) => Promise<T>, whereNone: T): Promise<[T, T]> => [
    await opened.then(ask).catch(() => whereNone),
    await ask(memory),
  ];
  const either = async <T>(ask: (store: Store) => Promise<T | undefined>) => {
    const [stored, remembered] = await both(ask, undefined);
    return remembered ?? stored;
  };
  return {
    put: async (report, bytesMax) => {
      const store = await opened;
      const half = async () => (await store.list()).reduce((sum, row) => sum + row.bytes, 0) / 2;
      for (const [smaller, bytes] of [
        [report, bytesMax],
        [report],
        [report], // after a quota was full the next transaction of Firefox may only delete, and fails
        [withoutAttachments(report), bytesMax],
      ] as const) {
        try {
          return await store.put(smaller, bytes ?? (await half()));
        } catch {}
      }
      await memory.put(report, bytesMax);
    },
    list: async () => (await both((store) => store.list(), [])).flat(),
    read: (id) => either((store) => store.read(id)),
    remove: (id) => either((store) => store.remove(id)),
    get: (name) => either((store) => store.get(name)),
    set: async (name, value) => {
      await opened.then((store) => store.set(name, value)).catch(() => memory.set(name, value));
    },
    close: async () => (await opened).close(),
  };
}

const withoutAttachments = ({ envelope: { attachments = [], ...envelope } }: QueuedReport): QueuedReport =>
  tellLost(
    { parts: [], envelope },
    attachments.map(({ partName, byteLength }) => ({ partName, reason: "no_storage", byteLength })),
  );
