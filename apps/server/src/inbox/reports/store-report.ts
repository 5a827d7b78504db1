import { envelopeBytesMax } from "@lodge/contract/limits";
import { isRolledBack } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { countRead } from "../../platform/http/collect-buffers.ts";
import { Gate } from "../../platform/limits/gate.ts";
import type { HeldBytes } from "../../platform/store/hold-bytes.ts";
import type { Upload } from "../../platform/store/store.ts";
import { makeStoreKey } from "../../platform/store/store-key.ts";
import { type AcceptedEvent, acceptEvent, type NewReport, type StoredAttachment } from "./accept-event.ts";

/**
 * Each large report is in memory twice on its way to the database: up to 5 MB usually, and twice that if it was
 * translated.
 */
const largeAccepts = new Gate({ runningMax: 4, waitingMax: 128 });
const hugeAccepts = new Gate({ runningMax: 1, waitingMax: 128 });

/** The files of a request that are being stored. The caller calls `settle` when the request ends. */
export class Uploads {
  readonly #deps: Deps;
  readonly #uploads: Upload[] = [];
  #isKept = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Starts another file. */
  async create(): Promise<{ upload: Upload; storeKey: string }> {
    const storeKey = makeStoreKey(this.#deps.clock.now());
    const upload = await this.#deps.store.create(storeKey);
    this.#uploads.push(upload);
    return { upload, storeKey };
  }

  /**
   * Flushes the files, then stores the report as an event, or finds its event if it was stored before (contract section
   * 3, step 10). Reads the bytes only now: the envelope and, from `envelopeLength` on, the original if it was
   * translated.
   */
  async store(
    app: Parameters<typeof acceptEvent>[1],
    report: NewReport,
    held: HeldBytes,
    envelopeLength: number,
    attachments: readonly StoredAttachment[],
  ): Promise<AcceptedEvent> {
    await allOf(this.#uploads.map((upload) => upload.commit()));
    const accept = async () => {
      const bytes = { bytes: await held.read(), envelopeLength };
      if (held.isLarge()) countRead(2 * held.byteLength()); // V8 would not collect such buffers promptly
      return acceptEvent(this.#deps, app, report, bytes, attachments);
    };
    const gate = held.byteLength() > envelopeBytesMax ? hugeAccepts : largeAccepts;
    // After a lost connection it is unknown whether the event exists: then only the sweep may delete the files.
    this.#isKept = true;
    const event = await (held.isLarge() ? gate.run(accept) : accept()).catch((error: unknown) => {
      this.#isKept = !isUndone(error);
      throw error;
    });
    this.#isKept = !event.idempotent;
    return event;
  }

  /** Deletes one of the files. */
  async drop(upload: Upload): Promise<void> {
    this.#uploads.splice(this.#uploads.indexOf(upload), 1);
    await upload.abort();
  }

  /** Deletes the files if no event has them. */
  async settle(): Promise<void> {
    if (!this.#isKept) await allOf(this.#uploads.map((upload) => upload.abort()));
  }
}

/** Whether a report that failed has certainly left nothing in the database. */
const isUndone = (error: unknown) =>
  error instanceof Refusal || isRolledBack(error) || (error as NodeJS.ErrnoException).syscall === "connect";

/** Waits for all, then throws the first error, if any. */
async function allOf(outcomes: Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(outcomes)) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
}
