import { applyRegrouping, getRegrouping, previewRegrouping, undoRegrouping } from "@lodge/contract/calls.generated";
import type { Regrouping, RegroupingPreview } from "@lodge/contract/dashboard/regrouping";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { formatCount, manyCounted } from "../../ui/numbers.ts";
import { Section } from "../../ui/section.tsx";
import { Time } from "../../ui/time.tsx";
import { tellFailed } from "../../ui/toasts.tsx";

const busyStates: readonly Regrouping["state"][] = ["planning", "applying", "undoing"];
const askAgainMs = 1_000;

const actions = { preview: previewRegrouping, apply: applyRegrouping, undo: undoRegrouping };

/** Regroups the problems of older grouping rules. Only for owners and admins; renders nothing without such problems. */
export function RegroupProblems({ appId }: { appId: string }) {
  const client = useQueryClient();
  const asked = {
    ...query(getRegrouping, { params: { appId } }),
    refetchInterval: ({ state }: { state: { data?: Regrouping | undefined } }) =>
      state.data && busyStates.includes(state.data.state) ? askAgainMs : (false as const),
  };
  const regrouping = useQuery(asked);
  const act = useMutation({
    mutationFn: (action: keyof typeof actions) => call(actions[action], { params: { appId } }),
    onSuccess: (answer) => client.setQueryData(asked.queryKey, answer),
    onError: (error) => {
      tellFailed("Could not regroup the problems", error);
      void regrouping.refetch();
    },
  });
  const { data } = regrouping;
  if (!data)
    return regrouping.isError ? <LoadError error={regrouping.error} retry={() => void regrouping.refetch()} /> : null;
  if (data.state === "none" && data.oldProblemCount === 0) return null;
  const button = (action: keyof typeof actions, label: string, look: "primary" | "secondary" = "secondary") => (
    <Button look={look} busy={act.isPending && act.variables === action} onClick={() => act.mutate(action)}>
      {label}
    </Button>
  );
  return (
    <Section title="Grouping">
      {data.state === "none" && (
        <>
          <OldProblems count={data.oldProblemCount} />
          <div>{button("preview", "Preview regrouping")}</div>
        </>
      )}
      {busyStates.includes(data.state) && <Progress regrouping={data} />}
      {data.state === "planned" && data.preview && (
        <>
          <OldProblems count={data.oldProblemCount} />
          <Changes preview={data.preview} />
          <p className="text-sm text-muted">
            A merged problem keeps the state, assignee and title of the most recent problem, and gets the cards of all
            merged problems. You can undo the regrouping.
          </p>
          <div className="flex flex-wrap gap-2">
            {button("apply", "Regroup", "primary")}
            {button("preview", "Preview again")}
          </div>
        </>
      )}
      {data.state === "applied" && data.appliedAt !== null && (
        <>
          <p role="status">
            The problems were regrouped <Time at={data.appliedAt} />.
          </p>
          <p className="text-sm text-muted">
            Undo restores the merged problems and moves the reports of split problems back. Reports received since the
            regrouping stay where they are.
          </p>
          <div className="flex flex-wrap gap-2">
            {button("undo", "Undo regrouping")}
            {data.oldProblemCount > 0 && button("preview", "Preview remaining problems")}
          </div>
        </>
      )}
    </Section>
  );
}

function OldProblems({ count }: { count: number }) {
  return (
    <p>
      {manyCounted(count, "problem")} {count === 1 ? "is" : "are"} grouped by version 1 of the grouping rules. Version 2
      supports stack traces in more languages.
    </p>
  );
}

function Progress({ regrouping: { state, doneCount, totalCount } }: { regrouping: Regrouping }) {
  const what = { planning: "Comparing problems", applying: "Regrouping", undoing: "Undoing" }[state as "planning"];
  return (
    <div className="flex flex-col gap-2">
      <p>
        {what}: {formatCount(doneCount)} of {formatCount(totalCount)}. You can leave this page.
      </p>
      <progress
        aria-label={what}
        value={doneCount}
        max={Math.max(1, totalCount)}
        className="h-1.5 w-full accent-accent"
      />
    </div>
  );
}

function Changes({ preview }: { preview: RegroupingPreview }) {
  const { mergedCount, splitCount, newCount, merges, splits } = preview;
  return (
    <div role="status" className="flex flex-col gap-2">
      <ul className="list-disc pl-5">
        <li>
          {manyCounted(mergedCount, "problem")} would be merged into{" "}
          {mergedCount === 1 ? "another problem" : "other problems"}
        </li>
        <li>
          {manyCounted(splitCount, "problem")} would be split, creating {manyCounted(newCount, "new problem")}
        </li>
      </ul>
      {merges.map(({ title, titles }) => (
        <Example key={title + titles.join()} title={title} titles={titles} what="Merge" with="with" />
      ))}
      {splits.map(({ title, titles }) => (
        <Example key={title + titles.join()} title={title} titles={titles} what="Split" with="and create" />
      ))}
    </div>
  );
}

function Example(props: { what: string; title: string; with: string; titles: readonly string[] }) {
  return (
    <div className="border-t border-line pt-2 text-sm">
      <p>
        {props.what} <span className="font-medium wrap-anywhere">{props.title}</span> {props.with}
      </p>
      <ul className="list-disc pl-5">
        {props.titles.map((title, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two entries may be equal
          <li key={index} className="wrap-anywhere">
            {title}
          </li>
        ))}
      </ul>
    </div>
  );
}
