import { countReplay, startReplay } from "@lodge/contract/calls.generated";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Modal } from "../../ui/modal.tsx";
import { FormError } from "../../ui/notice.tsx";
import { many } from "../../ui/numbers.ts";

/** Counts the events of a period, and sends them to a subscriber. */
export function ReplayDialog({
  subscriberId,
  missedSince,
  close,
}: {
  subscriberId: string;
  /** If the subscriber was just enabled: since when it has missed events. */
  missedSince?: string | undefined;
  close: () => void;
}) {
  const [opened] = useState(() => new Date());
  const [from, setFrom] = useState(() => localMinute(missedSince ? new Date(missedSince) : daysBefore(opened, 1)));
  const [until, setUntil] = useState(() => localMinute(new Date(opened.getTime() + minuteMs)));
  const [again, setAgain] = useState(false);
  const range = rangeOf(from, until);
  const counted = useQuery({
    ...query(countReplay, {
      params: { subscriberId },
      query: { ...(range ?? { from: "", until: "" }), ...(again && { again: "true" as const }) },
    }),
    enabled: range !== undefined,
  });
  const start = useMutation({
    mutationFn: async () => range && call(startReplay, { params: { subscriberId }, body: { ...range, again } }),
    onSuccess: async () => {
      await fetchAfter({ kind: "subscribers.changed" });
      close();
    },
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    start.mutate();
  };
  return (
    <Modal title={missedSince ? "Send missed events" : "Replay events"} close={close}>
      <form onSubmit={onSubmit} className="flex flex-col gap-4">
        <p className="text-muted">
          {missedSince
            ? "The subscriber was disabled for a while. You can now send the events that it missed."
            : "Send all events from a period, including events from before the subscriber was created."}{" "}
          Only events that match its filter are sent, marked as replayed.
        </p>
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="From"
            type="datetime-local"
            required
            value={from}
            onChange={(event) => setFrom(event.target.value)}
          />
          <TextField
            label="Until"
            type="datetime-local"
            required
            value={until}
            onChange={(event) => setUntil(event.target.value)}
          />
        </div>
        <label className="flex items-center gap-1.5">
          <input
            type="checkbox"
            className="accent-accent"
            checked={again}
            onChange={({ target }) => setAgain(target.checked)}
          />
          Include events it already received
        </label>
        <p role="status" className="text-sm">
          {range === undefined && "The end must be later than the start."}
          {range && counted.isPending && <span className="text-muted">Counting…</span>}
          {range && counted.data && inWords(counted.data.eventCount, counted.data.seconds)}
        </p>
        <FormError error={counted.error ?? start.error} />
        <div className="flex justify-end gap-2">
          <Button onClick={close}>{missedSince ? "Not now" : "Cancel"}</Button>
          <Button
            type="submit"
            look="primary"
            busy={start.isPending}
            disabled={start.isPending || !counted.data || counted.data.eventCount === 0}
          >
            Send
          </Button>
        </div>
      </form>
    </Modal>
  );
}

const minuteMs = 60_000;
const dayMs = 86_400_000;
const daysBefore = (date: Date, days: number) => new Date(date.getTime() - days * dayMs);

/** A time as the value of a `datetime-local` field, in the browser's time zone. */
function localMinute(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * minuteMs);
  return local.toISOString().slice(0, 16);
}

function rangeOf(from: string, until: string) {
  const [start, end] = [new Date(from), new Date(until)];
  return end > start ? { from: start.toISOString(), until: end.toISOString() } : undefined;
}

function inWords(count: number, seconds: number): string {
  if (count === 0) return "No events to send.";
  const events = many(count, "event");
  if (seconds < 60) return `${events} will be sent in less than a minute.`;
  return `Sending ${events} takes at least ${many(Math.ceil(seconds / 60), "minute")}.`;
}
