import { momentsMax, momentsMs, retryAfterSeconds, windowMs } from "./rate-limit.ts";

type Moment = { atMs: number; count: number };
type Bucket = { moments: Moment[]; count: number };

/** Counts requests in buckets of this process only, with the rule of `countHitsSql`. */
export class OwnRates {
  /** The buckets used since the last rotation, and those of the minute before. Older ones no longer count. */
  #recent = new Map<string, Bucket>();
  #older = new Map<string, Bucket>();
  #turnedAtMs = 0;

  /** Counts a request. Returns undefined if it is allowed, or else the whole seconds to wait. */
  count(bucket: string, perMinuteMax: number, nowMs: number): number | undefined {
    if (nowMs - this.#turnedAtMs > windowMs) {
      this.#older = nowMs - this.#turnedAtMs > 2 * windowMs ? new Map() : this.#recent;
      this.#recent = new Map();
      this.#turnedAtMs = nowMs;
    }
    const known = this.#recent.get(bucket) ?? this.#older.get(bucket) ?? { moments: [], count: 0 };
    this.#recent.set(bucket, known);
    const { moments } = known;
    const current = moments.findIndex(({ atMs }) => atMs > nowMs - windowMs);
    for (const { count } of moments.splice(0, current === -1 ? moments.length : current)) known.count -= count;
    if (known.count >= perMinuteMax) return retryAfterSeconds(moments[0]?.atMs ?? nowMs, nowMs);
    known.count++;
    const latest = moments.at(-1);
    const joins = perMinuteMax > momentsMax && (moments.at(-2)?.atMs ?? 0) > nowMs - momentsMs;
    if (latest && (joins || latest.atMs >= nowMs)) {
      latest.atMs = Math.max(latest.atMs, nowMs);
      latest.count++;
    } else moments.push({ atMs: nowMs, count: 1 });
    return undefined;
  }
}
