import { changeProblem } from "@lodge/contract/calls.generated";
import type { ChangeProblem, ProblemSummary } from "@lodge/contract/dashboard/inbox";
import { useMutation } from "@tanstack/react-query";
import { BellOff, CircleCheck, CircleFadingArrowUp, RotateCcw } from "lucide-react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { DropMenu, MenuItem } from "../../ui/menu.tsx";
import { tellFailed } from "../../ui/toasts.tsx";

const dayMs = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * dayMs).toISOString();

/** Changes the state of a problem, and updates it on all pages. */
export async function changeState({ id, appId }: Pick<ProblemSummary, "id" | "appId">, body: ChangeProblem) {
  await call(changeProblem, { params: { problemId: id }, body });
  await fetchAfter({ kind: "problem.changed", appId, problemId: id });
}

/** Buttons that resolve, mute or reopen a problem. */
export function ProblemActions({ problem }: { problem: ProblemSummary }) {
  const change = useMutation({
    mutationFn: (body: ChangeProblem) => changeState(problem, body),
    onError: (error) => tellFailed("Could not change the problem", error),
  });
  if (problem.state !== "open") {
    return (
      <Button busy={change.isPending} onClick={() => change.mutate({ state: "open" })}>
        <RotateCcw aria-hidden className="size-4" />
        Reopen
      </Button>
    );
  }
  return (
    <>
      <DropMenu
        trigger={
          <Button busy={change.isPending}>
            <BellOff aria-hidden className="size-4" />
            Mute
          </Button>
        }
      >
        <MenuItem onClick={() => change.mutate({ state: "muted", until: inDays(1) })}>For a day</MenuItem>
        <MenuItem onClick={() => change.mutate({ state: "muted", until: inDays(7) })}>For a week</MenuItem>
        <MenuItem onClick={() => change.mutate({ state: "muted", until: inDays(30) })}>For 30 days</MenuItem>
        <MenuItem onClick={() => change.mutate({ state: "muted" })}>Until reopened</MenuItem>
      </DropMenu>
      <Button
        busy={change.isPending}
        title="The problem stays resolved if it occurs in a version seen so far, and reopens if it occurs in a newer version."
        onClick={() => change.mutate({ state: "resolved", inNextVersion: true })}
      >
        <CircleFadingArrowUp aria-hidden className="size-4" />
        Resolve in next version
      </Button>
      <Button
        look="primary"
        busy={change.isPending}
        title="Reopens when it occurs in a newer version"
        onClick={() => change.mutate({ state: "resolved" })}
      >
        <CircleCheck aria-hidden className="size-4" />
        Resolve
      </Button>
    </>
  );
}
