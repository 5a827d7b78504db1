import type { Delivery } from "@lodge/contract/dashboard/deliveries";
import { LongText } from "../../ui/long-text.tsx";
import { ExactTime } from "../../ui/time.tsx";

/** The attempts of a delivery, latest first: time, duration, response, and reason of failure. */
export function Attempts({
  delivery: { attempts, attemptCount },
}: {
  delivery: Pick<Delivery, "attempts" | "attemptCount">;
}) {
  if (attempts.length === 0) {
    return (
      <p className="text-sm text-muted">
        {attemptCount === 0 ? "No attempts yet." : "The attempts were deleted after their retention period."}
      </p>
    );
  }
  return (
    <>
      <ol className="flex flex-col gap-3">
        {attempts.map(({ number, startedAt, durationMs, status, reason, response }) => (
          <li key={number} className="text-sm">
            <p className="flex flex-wrap gap-x-3 text-muted">
              <span className="font-medium text-ink">Attempt {number}</span>
              <ExactTime at={startedAt} />
              <span className="tabular-nums">{durationMs} ms</span>
              {status !== null && <span className="tabular-nums">HTTP {status}</span>}
            </p>
            {reason !== null && <p className="wrap-anywhere text-danger-ink">{reason}</p>}
            {response && <LongText text={response} className="mt-1 rounded-md bg-sunken p-2 font-mono text-xs" />}
          </li>
        ))}
      </ol>
      {attemptCount > attempts.length && (
        <p className="mt-2 text-xs text-muted">
          Only the latest {attempts.length} of {attemptCount} attempts are kept.
        </p>
      )}
    </>
  );
}
