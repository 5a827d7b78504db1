import type { Store } from "./store.ts";

/**
 * One store in place of another, of which it still holds what has not been moved: new objects go to `to`, and whatever
 * lies in either is found. `moveObjects` moves them while it is in use.
 */
export function movingStore(to: Store, from: Store): Store {
  return {
    ...to,
    // A file that is moved between the two looks is there at the third.
    read: async (key, range) =>
      (await to.read(key, range)) ?? (await from.read(key, range)) ?? (await to.read(key, range)),
    // In this order: `moveObjects` looks whether what it has copied is still there.
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

/** The moved objects and bytes. */
export type Moved = { objects: number; bytes: number };

/**
 * Moves every object from one store to another, each deleted in the first when the second has it. Servers that use the two
 * as `movingStore` find every object all the while. Can be stopped at any point and run again.
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
