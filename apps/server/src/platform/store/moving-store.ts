import type { Store } from "./store.ts";

/**
 * A store during a move: writes new objects to `to`, and finds objects in either store. `moveObjects` moves them while
 * this store is in use.
 */
export function movingStore(to: Store, from: Store): Store {
  return {
    ...to,
    // A file that is moved between the two reads is found by the third.
    read: async (key, range) =>
      (await to.read(key, range)) ?? (await from.read(key, range)) ?? (await to.read(key, range)),
    // The order matters: `moveObjects` checks whether an object that it copied still exists.
    delete: async (keys) => {
      await from.delete(keys);
      await to.delete(keys);
    },
    list: async function* (prefix) {
      yield* from.list(prefix);
      yield* to.list(prefix);
    },
    deleteUnfinished: async (before) => {
      await from.deleteUnfinished(before);
      await to.deleteUnfinished(before);
    },
  };
}

/** The number of moved objects and bytes. */
export type Moved = { objects: number; bytes: number };

/**
 * Moves all objects from one store to another, and deletes each after it was copied. Servers with a `movingStore` of
 * both find every object at any time. Can be stopped at any point and run again.
 */
export async function moveObjects(from: Store, to: Store): Promise<Moved> {
  const moved = { objects: 0, bytes: 0 };
  for await (const key of from.list("")) {
    const source = await from.read(key);
    if (!source) continue;
    const upload = await to.create(key);
    let bytes = 0;
    try {
      for await (const chunk of source as AsyncIterable<Buffer>) {
        await upload.write(chunk);
        bytes += chunk.length;
      }
      await upload.commit();
    } catch (error) {
      await upload.abort();
      throw error;
    }
    const still = await from.read(key);
    if (!still) {
      await to.delete([key]); // deleted meanwhile
      continue;
    }
    still.destroy();
    await from.delete([key]);
    moved.objects += 1;
    moved.bytes += bytes;
  }
  return moved;
}
