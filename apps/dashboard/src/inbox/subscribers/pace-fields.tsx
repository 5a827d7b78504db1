import { perMinuteMax } from "@lodge/contract/limits";
import { TextField } from "../../ui/field.tsx";
import type { SubscriberKind } from "./subscriber-kinds.tsx";

/** The state of the fields for rate limit and order. */
export type PaceDraft = { perMinute: string; ordered: boolean };

/** The fields for an existing or new subscriber. */
export const paceOf = (subscriber?: { perMinute: number | null; ordered: boolean }): PaceDraft => ({
  perMinute: subscriber?.perMinute?.toString() ?? "",
  ordered: subscriber?.ordered ?? false,
});

/** The fields as the API expects them. */
export const sentPace = ({ perMinute, ordered }: PaceDraft) => ({
  perMinute: perMinute === "" ? null : Number(perMinute),
  ordered,
});

/** The fields for rate limit and order. */
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
        label="Rate limit (per minute)"
        type="number"
        min={1}
        max={perMinuteMax}
        step={1}
        hint={kind === "email" ? "Leave empty for 10." : "Leave empty for no limit."}
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
          One at a time, in order
          <span className="block text-xs text-muted">
            A failed delivery is retried until it is delivered or skipped. Later deliveries wait.
          </span>
        </span>
      </label>
    </>
  );
}
