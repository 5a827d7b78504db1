import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer } from "./start-service.ts";

/** Retries as the interface says, while the server answers that it cannot serve now; calls `onRefused` each time. */
export async function retry(ask: () => Promise<Answer>, onRefused?: () => void): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503) return answer;
    assert.equal(answer.body.error, "unavailable");
    assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
    onRefused?.();
    await sleep(100);
  }
}
