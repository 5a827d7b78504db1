import { listEventDeliveries } from "@lodge/contract/calls.generated";
import type { Delivery } from "@lodge/contract/dashboard/deliveries";
import { useQuery } from "@tanstack/react-query";
import { query } from "../../api/query.ts";
import { LoadError } from "../../ui/notice.tsx";
import { Part } from "../../ui/part.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { DeliveryRow } from "./delivery-row.tsx";
import { SubscriberMark, subscriberLabels } from "./subscriber-kinds.tsx";

/** A pending delivery may change at any time, and no live event announces it. */
const openIntervalMs = 3_000;

/** The deliveries of an event with their attempts. Owners and admins can resend them. */
export function EventDeliveries({ eventId }: { eventId: string }) {
  const asked = query(listEventDeliveries, { params: { eventId } });
  const found = useQuery({
    ...asked,
    refetchInterval: ({ state }) =>
      state.data?.deliveries.some(({ settledAt }) => settledAt === null) ? openIntervalMs : false,
  });
  return (
    <Part title="Deliveries">
      {found.isPending && <Skeleton className="h-12" />}
      {found.isError && !found.data && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {found.data?.deliveries.length === 0 && found.data.filtered.length === 0 && (
        <p className="text-muted">Not delivered: the app had no subscribers at the time.</p>
      )}
      {found.data && found.data.deliveries.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-md border border-line bg-surface">
          {found.data.deliveries.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} stale={asked.queryKey}>
              <Receiver delivery={delivery} />
            </DeliveryRow>
          ))}
        </ul>
      )}
      {found.data && found.data.filtered.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" aria-label="Not delivered to" className="mt-2 flex flex-col gap-1 text-sm text-muted">
          {found.data.filtered.map(({ subscriber, by }) => (
            <li key={subscriber.id} className="flex items-center gap-2 px-3">
              <SubscriberMark kind={subscriber.kind} />
              <span className="wrap-anywhere">
                {subscriberLabels[subscriber.kind]} {subscriber.receiver}: not delivered. Filter that did not match:{" "}
                {by}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Part>
  );
}

function Receiver({ delivery: { subscriber, messageNumber } }: { delivery: Delivery }) {
  return (
    <>
      <SubscriberMark kind={subscriber.kind} />
      <span className="min-w-0 wrap-anywhere">
        <span className="font-medium">{subscriberLabels[subscriber.kind]}</span>{" "}
        <span className="text-muted">{subscriber.receiver}</span>
        {messageNumber !== null && <span className="text-muted"> · message {messageNumber}</span>}
      </span>
    </>
  );
}
