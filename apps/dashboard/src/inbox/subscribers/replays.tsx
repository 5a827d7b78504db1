import { cancelReplay } from "@lodge/contract/calls.generated";
import type { Replay } from "@lodge/contract/dashboard/subscribers";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { ExactTime } from "../../ui/time.tsx";
import { tellFailed } from "../../ui/toasts.tsx";

/** The latest replays to a subscriber, with their progress. */
export function Replays({ replays }: { replays: Replay[] }) {
  return (
    <ul className="mb-2 flex flex-col gap-2">
      {replays.map((replay) => (
        <ReplayRow key={replay.id} replay={replay} />
      ))}
    </ul>
  );
}

function ReplayRow({ replay }: { replay: Replay }) {
  const { id, state, from, until, again, eventCount, sentCount, startedBy, endedBy } = replay;
  const cancel = useMutation({
    mutationFn: () => call(cancelReplay, { params: { replayId: id } }),
    onSuccess: () => fetchAfter({ kind: "subscribers.changed" }),
    onError: (error) => tellFailed("Could not cancel the replay", error),
  });
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <span className="min-w-0 flex-1 basis-72">
        <ExactTime at={from} /> to <ExactTime at={until} />
        {again && ", including events already received"}
        <span className="block text-sm text-muted">
          {formatCount(sentCount)} of {formatCount(eventCount)} sent, started by {startedBy}
          {state === "done" && ", done"}
          {state === "cancelled" && `, ended early: ${endedBy}`}
        </span>
      </span>
      {state === "running" && (
        <>
          <progress
            aria-label="Events sent"
            max={Math.max(eventCount, sentCount)}
            value={sentCount}
            className="w-32 accent-accent"
          />
          <Button small busy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        </>
      )}
    </li>
  );
}
