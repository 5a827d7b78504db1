import { perMinuteMax } from "@lodge/contract/limits";
import { TextField } from "../../ui/field.tsx";
import type { SubscriberKind } from "./subscriber-kinds.tsx";

/** How fast, and in which order, somebody is told, as the fields have it. */
export type PaceDraft = { perMinute: string; ordered: boolean };

/** The fields of a subscriber, or of one that is to be made. */
export const paceOf = (subscriber?: { perMinute: number | null; ordered: boolean }): PaceDraft => ({
  perMinute: subscriber?.perMinute?.toString() ?? "",
  ordered: subscriber?.ordered ?? false,
});

/** What is sent of the fields. */
export const sentPace = ({ perMinute, ordered }: PaceDraft) => ({
  perMinute: perMinute === "" ? null : Number(perMinute),
  ordered,
});

/** The fields that ask for it. */
export function PaceFields({
  kind,
  draft,
  change,
}: {
  kind: SubscriberKind;
  draft: PaceDraft;
  change: (draft: PaceDraft) => void;
}) {
  return (
    <>
      <TextField
        label="Most messages a minute"
        type="number"
        min={1}
        max={perMinuteMax}
        step={1}
        hint={kind === "email" ? "Empty: 10." : "Empty: as many as it bears."}
        value={draft.perMinute}
        onChange={(event) => change({ ...draft, perMinute: event.target.value })}
      />
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-1 accent-accent"
          checked={draft.ordered}
          onChange={({ target }) => change({ ...draft, ordered: target.checked })}
        />
        <span>
          One after the other, in order
          <span className="block text-xs text-muted">
            One that fails is tried until it is delivered or skipped, and holds up those behind it.
          </span>
        </span>
      </label>
    </>
  );
}
