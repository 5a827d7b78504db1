import type { ProblemDetails, ProblemSummary } from "@lodge/contract/dashboard/inbox";
import { searchLengthMax } from "@lodge/contract/limits";
import { keepPreviousData, useInfiniteQuery, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { isRefused } from "../../api/call.ts";
import { Button } from "../../ui/button.tsx";
import { Modal } from "../../ui/modal.tsx";
import { FormError } from "../../ui/notice.tsx";
import { many } from "../../ui/numbers.ts";
import { SearchField } from "../../ui/search-field.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ProblemState } from "./problem-state.tsx";
import { mergeInto } from "./regroup.ts";
import { inboxQuery } from "./report-queries.ts";

/** Finds problems, and merges the chosen ones into a problem. */
export function MergeDialog({ problem, close }: { problem: ProblemDetails; close: () => void }) {
  const [q, search] = useState("");
  const [chosen, choose] = useState<readonly ProblemSummary[]>([]);
  const inbox = inboxQuery(problem.appId, { show: "problems", state: "any", ...(q && { q }) });
  const found = useInfiniteQuery({
    ...inbox,
    // A key of its own, to ignore cached lists: a problem that was merged and split off again has a new id.
    queryKey: [...inbox.queryKey, "to merge"],
    gcTime: 0,
    meta: {},
    placeholderData: keepPreviousData,
  });
  const merge = useMutation({
    mutationFn: () => mergeInto(problem, chosen),
    onSuccess: close,
    onError: (error) => {
      if (!isRefused(error, "problem_not_found")) return;
      choose([]);
      void found.refetch();
    },
  });
  const listed = found.data?.pages.flatMap(({ entries }) =>
    entries.flatMap((entry) => (entry.type === "problem" ? [entry.problem] : [])),
  );
  const isChosen = ({ id }: ProblemSummary) => chosen.some((other) => other.id === id);
  // Chosen problems stay listed when another text is searched.
  const others = listed && [...chosen, ...listed.filter((other) => other.id !== problem.id && !isChosen(other))];
  return (
    <Modal title="Merge with other problems" close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (chosen.length > 0) merge.mutate();
        }}
        className="flex flex-col gap-4"
      >
        <p className="text-muted">
          The reports and cards of the chosen problems move to this one, which keeps its state. You can split them off
          again.
        </p>
        <SearchField label="Search problems" lengthMax={searchLengthMax} text={q} onChange={search} />
        {found.isError && !found.data && <FormError error={found.error} />}
        {found.isPending && <Skeleton className="h-32" />}
        {others?.length === 0 && <p className="text-muted">No other problems found.</p>}
        {others && others.length > 0 && (
          <ul aria-label="Problems" className="-mx-2 flex max-h-[40vh] flex-col overflow-y-auto">
            {others.map((other) => (
              <li key={other.id}>
                <label className="flex items-start gap-2.5 rounded-md px-2 py-1.5 hover:bg-hover">
                  <input
                    type="checkbox"
                    checked={isChosen(other)}
                    onChange={({ target }) =>
                      choose(target.checked ? [...chosen, other] : chosen.filter(({ id }) => id !== other.id))
                    }
                    className="mt-0.5 size-4 shrink-0 accent-accent"
                  />
                  <span className="min-w-0 flex-1">
                    <span className="line-clamp-2 wrap-anywhere">{other.title}</span>
                    <span className="flex flex-wrap items-center gap-x-2 text-sm text-muted">
                      {other.culprit !== null && (
                        <span className="min-w-0 truncate font-mono text-xs">{other.culprit}</span>
                      )}
                      <span>{many(other.eventCount, "report")}</span>
                      <ProblemState problem={other} />
                    </span>
                  </span>
                </label>
              </li>
            ))}
          </ul>
        )}
        <FormError error={merge.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={close}>Cancel</Button>
          <Button look="primary" type="submit" disabled={chosen.length === 0} busy={merge.isPending}>
            {chosen.length > 1 ? `Merge ${chosen.length} problems into this one` : "Merge into this one"}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
