import type { Subscriber } from "@lodge/contract/dashboard/subscribers";
import { ExactTime, Time } from "../../ui/time.tsx";
import { Soon } from "./delivery-state.tsx";

/** The current state of a subscriber, and why. */
export function SubscriberState({ subscriber }: { subscriber: Subscriber }) {
  if (subscriber.waitsForConfirmation) {
    return (
      <span className="text-sm">
        <Mark look="bg-warn-soft text-warn-ink">Waiting for confirmation</Mark>
      </span>
    );
  }
  const { enabled, disabledReason, disabledAt, failingSince, pausedUntil } = subscriber;
  if (!enabled) {
    return (
      <span className="text-sm">
        <Mark look="bg-danger-soft text-danger-ink">Disabled</Mark> {disabledReason}{" "}
        {disabledAt && <Time at={disabledAt} />}
      </span>
    );
  }
  if (failingSince !== null) {
    return (
      <span className="text-sm">
        <Mark look="bg-warn-soft text-warn-ink">Failing</Mark> since <ExactTime at={failingSince} />
        {pausedUntil !== null && (
          <>
            , next attempt <Soon at={pausedUntil} />
          </>
        )}
      </span>
    );
  }
  return <Mark look="bg-accent-soft text-accent-ink">Active</Mark>;
}

function Mark({ look, children }: { look: string; children: string }) {
  return <span className={`rounded-sm px-1.5 text-xs leading-5 font-medium ${look}`}>{children}</span>;
}
