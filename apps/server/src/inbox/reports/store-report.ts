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

/** Each is whole in memory, twice, on its way to the database: at most 5 MB of most, and twice that of what was translated. */
const largeAccepts = new Gate({ runningMax: 4, waitingMax: 128 });
const hugeAccepts = new Gate({ runningMax: 1, waitingMax: 128 });

/** The files of a request on their way into the store. The caller calls `settle` when the request ends. */
export class Uploads {
  readonly #deps: Deps;
  readonly #uploads: Upload[] = [];
  #isKept = false;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Begins another file. */
  async create(): Promise<{ upload: Upload; storeKey: string }> {
    const storeKey = makeStoreKey(this.#deps.clock.now());
    const upload = await this.#deps.store.create(storeKey);
    this.#uploads.push(upload);
    return { upload, storeKey };
  }

  /**
   * Flushes the files, then makes the report an event, or finds the event that it is already (contract section 3, step 10).
   * Its bytes are read only now: the envelope, and after `envelopeLength`, if it was translated, what it was translated from.
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
      if (held.isLarge()) countRead(2 * held.byteLength()); // V8 would let such buffers lie
      return acceptEvent(this.#deps, app, report, bytes, attachments);
    };
    const gate = held.byteLength() > envelopeBytesMax ? hugeAccepts : largeAccepts;
    // A lost connection leaves open whether the event exists: then nobody but the sweep may delete the files.
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

  /** Deletes the files where no event has them. */
  async settle(): Promise<void> {
    if (!this.#isKept) await allOf(this.#uploads.map((upload) => upload.abort()));
  }
}

/** Whether a report that could not be accepted has certainly left nothing in the database. */
const isUndone = (error: unknown) =>
  error instanceof Refusal || isRolledBack(error) || (error as NodeJS.ErrnoException).syscall === "connect";

/** Waits for all, and only then throws what the first to fail has thrown. */
async function allOf(outcomes: Promise<void>[]): Promise<void> {
  for (const outcome of await Promise.allSettled(outcomes)) {
    if (outcome.status === "rejected") throw outcome.reason;
  }
}
