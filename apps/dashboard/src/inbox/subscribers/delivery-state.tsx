import type { Delivery } from "@lodge/contract/dashboard/deliveries";
import { Time } from "../../ui/time.tsx";

const labels: Record<Delivery["state"], string> = {
  waiting: "Waiting",
  failed: "Retrying",
  delivered: "Delivered",
  dead: "Failed permanently",
};
const looks: Record<Delivery["state"], string> = {
  waiting: "bg-hover text-muted",
  failed: "bg-warn-soft text-warn-ink",
  delivered: "bg-accent-soft text-accent-ink",
  dead: "bg-danger-soft text-danger-ink",
};

/** The state of a delivery. */
export function DeliveryState({
  delivery: { state, isUnderWay = false },
}: {
  delivery: Pick<Delivery, "state"> & Partial<Pick<Delivery, "isUnderWay">>;
}) {
  return (
    <span className={`rounded-sm px-1.5 text-xs leading-5 font-medium whitespace-nowrap ${looks[state]}`}>
      {isUnderWay ? "Sending" : labels[state]}
    </span>
  );
}

/** The number of attempts of a delivery and the next one, as text. */
export function DeliveryProgress({
  delivery,
}: {
  delivery: Pick<Delivery, "attemptCount" | "dueAt" | "settledAt"> & Partial<Pick<Delivery, "subscriber">>;
}) {
  const { attemptCount, dueAt, settledAt, subscriber } = delivery;
  const next = dueAt !== null && later(dueAt, subscriber?.pausedUntil ?? null);
  return (
    <span className="text-sm text-muted">
      {attemptCount === 1 ? "1 attempt" : `${attemptCount} attempts`}
      {settledAt !== null && (
        <>
          {" · "}
          <Time at={settledAt} />
        </>
      )}
      {next && Date.parse(next) > Date.now() && (
        <>
          {" · next attempt "}
          <Soon at={next} />
        </>
      )}
    </span>
  );
}

const minuteMs = 60_000;

/** A time in the future. */
export function Soon({ at }: { at: string }) {
  return Date.parse(at) - Date.now() < minuteMs ? <>within a minute</> : <Time at={at} />;
}

const later = (one: string, other: string | null) => (other !== null && other > one ? other : one);
