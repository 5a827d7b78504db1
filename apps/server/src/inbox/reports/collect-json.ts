import { setTimeout as sleep } from "node:timers/promises";
import { envelopeBytesMax, envelopeDepthMax, envelopeValuesMax } from "@lodge/contract/limits";
import type { Refusal } from "../../platform/errors.ts";
import { boundValues } from "../../platform/http/bound-values.ts";
import { Gate } from "../../platform/limits/gate.ts";
import { Pace } from "../../platform/limits/pace.ts";
import type { HeldBytes } from "../../platform/store/hold-bytes.ts";

/**
 * Inflating, counting and storing a large report blocks the event loop for 10 ms per MB, however fast it is sent. This
 * limits the rate.
 */
const largePace = new Pace(32 * 1_048_576);

/** Checking a large report takes some 50 MB and 50 ms, so all endpoints share this gate. */
export const largeChecks = new Gate({ runningMax: 1, waitingMax: 128, rests: true });

/**
 * Collects the JSON of a report and bounds it before anybody parses it: at most 5 MB, 200,000 values and 100,000
 * levels. Throws `tooLarge()` or `tooMuch(why)` as soon as there is more.
 */
export function collector(
  held: HeldBytes,
  { tooLarge, tooMuch }: { tooLarge: () => Refusal; tooMuch: (message: string) => Refusal },
): (source: AsyncIterable<Buffer>) => Promise<void> {
  const bound = boundValues({ valuesMax: envelopeValuesMax, depthMax: envelopeDepthMax, refuse: tooMuch });
  let byteLength = 0;
  return async (source) => {
    for await (const chunk of source) {
      byteLength += chunk.length;
      if (byteLength > envelopeBytesMax) throw tooLarge();
      bound(chunk);
      const written = held.write(chunk);
      if (written === undefined) continue;
      await written;
      const waitMs = largePace.count(chunk.length);
      if (waitMs > 0) await sleep(waitMs);
    }
  };
}
