/** Rate limits count in windows of one minute, each beginning with the first request after the last window ended. */
const windowMs = 60_000;

/**
 * The statement that counts one request in a bucket of `rate_limits`, shared by every process of the deployment.
 * `bucket` and `now` are SQL expressions; `from` is where the bucket comes from. Returns hits and window_started_at.
 */
export const countHitSql = (bucket: string, now: string, from: string) => `
  insert into rate_limits as r (bucket, window_started_at, hits) select ${bucket}, ${now}, 1 ${from}
  on conflict (bucket) do update set
    hits = case when r.window_started_at > ${now} - interval '1 minute' then r.hits + 1 else 1 end,
    window_started_at = case when r.window_started_at > ${now} - interval '1 minute' then r.window_started_at else ${now} end
  returning hits, window_started_at`;

/** Whole seconds until the window of a refused request ends: at least 1. */
export const retryAfterSeconds = (windowStartedAt: Date, now: Date) =>
  Math.max(1, Math.ceil((windowStartedAt.getTime() + windowMs - now.getTime()) / 1000));
