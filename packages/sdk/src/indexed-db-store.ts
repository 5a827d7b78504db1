import { attempt } from "./attempt.ts";
import { type Kept, lossOf, pickVictims, type QueuedReport, type Row, rowOf, type Store, tellLost } from "./store.ts";

const names = ["rows", "reports", "kept"];

/** A queue in IndexedDB, which all tabs of the origin share. Throws if the browser has no IndexedDB. */
export async function indexedDbStore(name: string): Promise<Store> {
  const open = indexedDB.open(name, 1);
  open.onupgradeneeded = () => {
    for (const name of names) open.result.createObjectStore(name, name === "rows" ? { keyPath: "id" } : {});
  };
  const database = await answer(open);
  database.onversionchange = () => database.close();

  /**
   * Runs `work` in one transaction, which is on the disk when this resolves; `work` may only await requests of this
   * transaction.
   */
  async function transact<T>(
    work: (stores: Stores) => T | Promise<T>,
    mode: IDBTransactionMode = "readwrite",
  ): Promise<T> {
    const transaction = database.transaction(names, mode, { durability: "strict" });
    const ended = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
    try {
      const [result] = await Promise.all([work(names.map((name) => transaction.objectStore(name)) as Stores), ended]);
      return result;
    } catch (error) {
      // Roll back earlier writes. The browser may have done so already.
      attempt(() => transaction.abort());
      throw error;
    }
  }

  return {
    put: (report, bytesMax) =>
      transact(async ([rows, reports]) => {
        const row = rowOf(report.envelope.reportId, report);
        const lost = [];
        for (const victim of pickVictims(await answer<Row[]>(rows.getAll()), row.bytes, bytesMax)) {
          lost.push(...lossOf(victim, await answer(reports.get(victim.id)), "queue_full"));
          rows.delete(victim.id);
          reports.delete(victim.id);
        }
        rows.put(row);
        reports.put(tellLost(report, lost), row.id);
      }),
    list: () => transact(([rows]) => answer<Row[]>(rows.getAll()), "readonly"),
    read: (id) => transact(([, reports]) => answer<QueuedReport | undefined>(reports.get(id)), "readonly"),
    remove: (id) =>
      transact(([rows, reports]) => {
        rows.delete(id);
        reports.delete(id);
      }),
    get: <T>(name: Kept) => transact(([, , kept]) => answer<T | undefined>(kept.get(name)), "readonly"),
    set: (name, value) =>
      transact(([, , kept]) => {
        kept.put(value, name);
      }),
    close: async () => database.close(),
  };
}

type Stores = [rows: IDBObjectStore, reports: IDBObjectStore, kept: IDBObjectStore];

const answer = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
