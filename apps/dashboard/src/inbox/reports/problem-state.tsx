import type { ProblemSummary } from "@lodge/contract/dashboard/inbox";
import { Day } from "../../ui/time.tsx";

const badgeClass = "max-w-full truncate rounded-full px-2 text-xs leading-5";

/** Whether a problem is resolved, muted or reopened. Renders nothing for other problems. */
export function ProblemState({ problem }: { problem: ProblemSummary }) {
  const { state, resolvedVersion, resolvedInNext, mutedUntil, reopenedAt, reopenedVersion } = problem;
  if (state === "resolved") {
    return (
      <span className={`${badgeClass} bg-accent-soft text-accent-ink`}>
        Resolved
        {resolvedInNext
          ? resolvedVersion === null
            ? " in the next version"
            : ` in the version after ${resolvedVersion}`
          : resolvedVersion !== null && ` in ${resolvedVersion}`}
      </span>
    );
  }
  if (state === "muted") {
    return (
      <span className={`${badgeClass} bg-hover text-ink`}>
        Muted
        {mutedUntil !== null && (
          <>
            {" until "}
            <Day date={mutedUntil.slice(0, 10)} />
          </>
        )}
      </span>
    );
  }
  if (reopenedAt === null) return null;
  return (
    <span className={`${badgeClass} bg-warn-soft text-warn-ink`}>
      Reopened{reopenedVersion !== null && ` in ${reopenedVersion}`}
    </span>
  );
}
