import { cancelRun, releaseRun, retryPullRequest } from "@lodge/contract/calls.generated";
import type { Run } from "@lodge/contract/dashboard/runs";
import { useMutation } from "@tanstack/react-query";
import { ChevronRight, FileDiff, GitBranch, GitPullRequest } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { useSession } from "../../session/use-session.ts";
import { Button } from "../../ui/button.tsx";
import { Time } from "../../ui/time.tsx";
import { tellFailed } from "../../ui/toasts.tsx";
import { isWebAddress } from "../../ui/web-address.ts";
import { RunLog } from "./run-log.tsx";
import { costInWords, isOpen, runInWords, waitsForPerson } from "./run-words.ts";

const linkClass = "inline-flex items-center gap-1 text-accent-ink underline underline-offset-2 wrap-anywhere";
const iconClass = "size-3.5 shrink-0";

/** The agent's run on a ticket: state, result, log, and actions. */
export function RunPanel({ run, ticketId }: { run: Run; ticketId: string }) {
  const { organisation } = useSession();
  const [isLogOpen, setLogOpen] = useState(false);
  const params = { runId: run.id };
  const reload = () => fetchAfter({ kind: "run.changed", runId: run.id, ticketId });
  const release = useMutation({
    mutationFn: () => call(releaseRun, { params }),
    onError: (error) => tellFailed("Could not start the agent", error),
    onSettled: reload,
  });
  const cancel = useMutation({
    mutationFn: () => call(cancelRun, { params }),
    onError: (error) => tellFailed("Could not cancel the run", error),
    onSettled: reload,
  });
  const retry = useMutation({
    mutationFn: () => call(retryPullRequest, { params }),
    onError: (error) => tellFailed("Could not retry the pull request", error),
    onSettled: reload,
  });
  const cost = costInWords(run);
  return (
    <section aria-label="The agent's run" className="flex flex-col gap-1.5 text-xs text-muted">
      <p aria-live="polite">
        {runInWords(run)} · {run.changedBy && isOpen(run) && `${run.changedBy} · `}
        <Time at={run.changedAt} />
      </p>
      {run.question && (
        <p className="rounded-md bg-warn-soft px-2 py-1.5 text-sm text-warn-ink wrap-anywhere whitespace-pre-wrap">
          {run.question}
        </p>
      )}
      {run.summary && !isOpen(run) && (
        <p className="text-sm text-ink wrap-anywhere whitespace-pre-wrap">{run.summary}</p>
      )}
      {run.pullRequestError && (
        <div className="flex flex-col items-start gap-1.5 rounded-md bg-warn-soft px-2 py-1.5 text-sm text-warn-ink">
          <p className="wrap-anywhere whitespace-pre-wrap">
            The branch is pushed, but there is no pull request. {run.pullRequestError}
          </p>
          {run.isPullRequestWanted ? (
            <p>A runner tries again within a minute.</p>
          ) : (
            <Button small busy={retry.isPending} onClick={() => retry.mutate()}>
              Try again
            </Button>
          )}
        </div>
      )}
      <ul className="flex flex-wrap items-center gap-x-3 gap-y-1 empty:hidden">
        {run.pullRequestUrl && isWebAddress(run.pullRequestUrl) && (
          <li>
            <a href={run.pullRequestUrl} rel="noreferrer" target="_blank" className={linkClass}>
              <GitPullRequest aria-hidden className={iconClass} />
              Pull request
              {run.pullRequestState !== "open" && run.pullRequestState && ` (${run.pullRequestState})`}
            </a>
          </li>
        )}
        {run.branch && (
          <li className="inline-flex items-center gap-1 wrap-anywhere">
            <GitBranch aria-hidden className={iconClass} />
            <span className="sr-only">Branch </span>
            {run.branch}
          </li>
        )}
        {run.hasPatch && (
          <li>
            <a href={`/api/dashboard/runs/${run.id}/patch`} download className={linkClass}>
              <FileDiff aria-hidden className={iconClass} />
              Patch
            </a>
          </li>
        )}
        {run.fixedIn && <li>Fixed in {run.fixedIn}</li>}
        {run.runner && <li>Runner: {run.runner}</li>}
        {cost && <li>{cost}</li>}
      </ul>
      <div className="flex flex-wrap items-center gap-1.5 empty:hidden">
        {run.startedAt !== null && (
          <Button small look="quiet" aria-expanded={isLogOpen} onClick={() => setLogOpen(!isLogOpen)}>
            <ChevronRight aria-hidden className={`size-3.5 transition-transform ${isLogOpen ? "rotate-90" : ""}`} />
            Log
          </Button>
        )}
        {waitsForPerson(run) && organisation.role !== "member" && (
          <Button small busy={release.isPending} onClick={() => release.mutate()}>
            Start the agent
          </Button>
        )}
        {isOpen(run) && (
          <Button small look="quiet" busy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel run
          </Button>
        )}
      </div>
      {isLogOpen && <RunLog runId={run.id} isLive={isOpen(run)} />}
    </section>
  );
}
