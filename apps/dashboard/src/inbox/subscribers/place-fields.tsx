import { viewBoard } from "@lodge/contract/calls.generated";
import { addressLengthMax } from "@lodge/contract/limits";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { projectsQuery } from "../../api/queries.ts";
import { query } from "../../api/query.ts";
import { TextField } from "../../ui/field.tsx";
import { LabelledChoice } from "./labelled-choice.tsx";
import type { SubscriberKind } from "./subscriber-kinds.tsx";

/** The target of a subscriber: a URL, an e-mail address, or a column of a board. */
export type Place = { url: string; token: string; boardId: string; columnId: string };

/** The fields for the target. */
export function PlaceFields({
  kind,
  place,
  change,
  hasToken = false,
}: {
  kind: SubscriberKind;
  place: Place;
  change: (place: Place) => void;
  hasToken?: boolean;
}) {
  if (kind === "board") return <ColumnFields place={place} change={change} />;
  if (kind === "email") {
    return (
      <TextField
        label="E-mail address"
        type="email"
        hint={hints.email}
        required
        lengthMax={320}
        value={place.url.replace(/^mailto:/, "")}
        onChange={({ target }) => change({ ...place, url: target.value === "" ? "" : `mailto:${target.value}` })}
      />
    );
  }
  return (
    <>
      <TextField
        label={kind === "github" ? "Repository" : "URL"}
        type="url"
        hint={hints[kind]}
        required
        lengthMax={addressLengthMax}
        placeholder={kind === "github" ? "https://github.com/owner/name" : "https://"}
        value={place.url}
        onChange={(event) => change({ ...place, url: event.target.value })}
      />
      {kind === "github" && (
        <TextField
          label="Token"
          type="password"
          autoComplete="off"
          hint={
            hasToken
              ? "Leave empty to keep the current one. It is never shown."
              : "A token that can read and write the repository's issues, and nothing else. It is never shown."
          }
          required={!hasToken}
          lengthMax={255}
          value={place.token}
          onChange={(event) => change({ ...place, token: event.target.value })}
        />
      )}
    </>
  );
}

/** An empty target. */
export const noPlace: Place = { url: "", token: "", boardId: "", columnId: "" };

/** The fields as the API expects them. */
export const sentPlace = (kind: SubscriberKind, { url, token, columnId }: Place) =>
  kind === "board" ? { columnId } : { url, ...(kind === "github" && token !== "" && { token }) };

const hints: Record<Exclude<SubscriberKind, "board">, string> = {
  webhook: "Lodge posts each report to this URL as JSON, signed according to the Standard Webhooks specification.",
  slack: "The URL of a Slack incoming webhook. Anyone who knows it can post to the channel.",
  discord: "The URL of a Discord webhook. Anyone who knows it can post to the channel.",
  teams: "The URL of a Teams workflow that starts when it receives a webhook request.",
  email: "Lodge sends one e-mail per report.",
  github:
    "Each report opens an issue. Consider sending only the first report of each problem. A test opens an issue, too.",
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: keeps the sent column the same as the displayed one
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
