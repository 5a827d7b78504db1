import { spikeEventsMax, spikeMinutesMax } from "@lodge/contract/limits";
import { useId } from "react";
import { controlClass } from "../ui/field.tsx";

type SpikeDraft = { events: string; minutes: string };

/** The fields for the number of events within a period above which people are notified. Empty for never. */
export function SpikeFields({
  events,
  minutes,
  setEvents,
  setMinutes,
}: SpikeDraft & { setEvents: (events: string) => void; setMinutes: (minutes: string) => void }) {
  const id = useId();
  const isSet = events !== "" || minutes !== "";
  const numberClass = `${controlClass} w-24!`;
  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend className="mb-1 text-sm font-medium">Many reports of a problem</legend>
      <div className="flex flex-wrap items-center gap-2 text-sm">
        More than
        <input
          type="number"
          aria-label="Events"
          min={1}
          max={spikeEventsMax}
          required={isSet}
          value={events}
          onChange={(event) => setEvents(event.target.value)}
          className={numberClass}
        />
        events within
        <input
          type="number"
          aria-label="Minutes"
          min={1}
          max={spikeMinutesMax}
          required={isSet}
          value={minutes}
          onChange={(event) => setMinutes(event.target.value)}
          className={numberClass}
        />
        minutes
      </div>
      <p id={`${id}-hint`} className="text-xs text-muted">
        Applies once per spike, and not to muted problems. Leave both fields empty to turn it off.
      </p>
    </fieldset>
  );
}
