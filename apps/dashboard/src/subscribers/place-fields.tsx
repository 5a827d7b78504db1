import { viewBoard } from "@lodge/contract/calls.generated";
import { addressLengthMax } from "@lodge/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { projectsQuery } from "../api/queries.ts";
import { query } from "../api/query.ts";
import { TextField } from "../ui/field.tsx";
import { LabelledChoice } from "./labelled-choice.tsx";
import type { SubscriberKind } from "./subscriber-kinds.tsx";

/** Where somebody is to be told: an address, or a column of a board. */
export type Place = { url: string; boardId: string; columnId: string };

/** The fields that ask for it. */
export function PlaceFields({
  kind,
  place,
  change,
}: {
  kind: SubscriberKind;
  place: Place;
  change: (place: Place) => void;
}) {
  if (kind === "board") return <ColumnFields place={place} change={change} />;
  return (
    <TextField
      label="Address"
      type="url"
      hint={hints[kind]}
      required
      lengthMax={addressLengthMax}
      placeholder="https://"
      value={place.url}
      onChange={(event) => change({ ...place, url: event.target.value })}
    />
  );
}

const hints: Record<Exclude<SubscriberKind, "board">, string> = {
  webhook: "Each report is posted to it as JSON, signed as Standard Webhooks has it.",
  slack: "Of an incoming webhook of Slack's: whoever knows it can post to the channel.",
  discord: "Of a webhook of the channel: whoever knows it can post to the channel.",
  teams: "Of a workflow that begins when a webhook request is received.",
};

function ColumnFields({ place, change }: { place: Place; change: (place: Place) => void }) {
  const { data: projects = [] } = useQuery(projectsQuery);
  const boards = projects.flatMap((project) =>
    project.boards.map(({ id, name }) => ({ value: id, label: `${project.name}: ${name}` })),
  );
  const boardId = place.boardId || boards[0]?.value || "";
  const { data: board } = useQuery({
    ...query(viewBoard, { params: { boardId }, query: {} }),
    enabled: boardId !== "",
  });
  const columns = board?.columns.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  const columnId = columns.some(({ value }) => value === place.columnId) ? place.columnId : (columns[0]?.value ?? "");
  const isShown = columnId === place.columnId && boardId === place.boardId;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown as chosen is what is sent
  useEffect(() => {
    if (!isShown) change({ ...place, boardId, columnId });
  }, [isShown, boardId, columnId]);
  return (
    <>
      <LabelledChoice
        label="Board"
        options={boards}
        value={boardId}
        onChange={(next) => change({ ...place, boardId: next, columnId: "" })}
      />
      <LabelledChoice
        label="Column"
        options={columns}
        value={columnId}
        onChange={(next) => change({ ...place, columnId: next })}
      />
    </>
  );
}
