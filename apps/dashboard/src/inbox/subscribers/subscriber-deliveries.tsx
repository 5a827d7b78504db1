import { listSubscriberDeliveries, resendDeadDeliveries } from "@lodge/contract/calls.generated";
import type { Delivery } from "@lodge/contract/dashboard/deliveries";
import type { SubscriberDetails } from "@lodge/contract/dashboard/subscribers";
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { keyOf } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Choice } from "../../ui/choice.tsx";
import { MoreButton } from "../../ui/more-button.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { Skeleton } from "../../ui/skeleton.tsx";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";
import { DeliveryRow } from "./delivery-row.tsx";

type Shown = Delivery["state"] | "all";

const shownOptions: { value: Shown; label: string }[] = [
  { value: "all", label: "All deliveries" },
  { value: "waiting", label: "Waiting" },
  { value: "failed", label: "Retrying" },
  { value: "dead", label: "Failed permanently" },
  { value: "delivered", label: "Delivered" },
];
const refetchMs = 5_000;

const deliveriesQuery = (subscriberId: string, shown: Shown) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listSubscriberDeliveries, { params: { subscriberId } }), shown],
    queryFn: ({ pageParam }) =>
      call(listSubscriberDeliveries, {
        params: { subscriberId },
        query: { ...(shown !== "all" && { state: shown }), ...(pageParam && { cursor: pageParam }) },
      }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Once several pages are loaded, none is refreshed while it is read.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refetchMs : false),
  });

/** The deliveries to a subscriber, latest first, with a button that resends all failed ones. */
export function SubscriberDeliveries({ subscriber }: { subscriber: SubscriberDetails }) {
  const { id, enabled, deadCount } = subscriber;
  const [shown, setShown] = useState<Shown>("all");
  const found = useInfiniteQuery(deliveriesQuery(id, shown));
  const queryClient = useQueryClient();
  const stale = keyOf(listSubscriberDeliveries, { params: { subscriberId: id } });
  const resendAll = useMutation({
    mutationFn: async () => {
      let count = 0;
      for (let more = true; more; ) {
        const resent = await call(resendDeadDeliveries, { params: { subscriberId: id } });
        count += resent.resentCount;
        more = resent.more;
      }
      return count;
    },
    onSuccess: async (count) => {
      await Promise.all([
        fetchAfter({ kind: "subscribers.changed" }),
        queryClient.invalidateQueries({ queryKey: stale }),
      ]);
      tellDone(count === 1 ? "1 delivery is being resent" : `${formatCount(count)} deliveries are being resent`);
    },
    onError: (error) => tellFailed("Could not resend the deliveries", error),
  });
  const all = found.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  return (
    <section aria-labelledby="deliveries">
      <div className="mb-2 flex flex-wrap items-center gap-3">
        <h2 id="deliveries" className="flex-1 text-sm font-semibold">
          Deliveries
        </h2>
        {deadCount > 0 && (
          <Button
            small
            busy={resendAll.isPending}
            disabled={!enabled || resendAll.isPending}
            title={enabled ? undefined : "Enable the subscriber first"}
            onClick={() => resendAll.mutate()}
          >
            Resend all failed deliveries
          </Button>
        )}
        <Choice label="Show" chip options={shownOptions} value={shown} onChange={setShown} />
      </div>
      {found.isPending && <Skeleton className="h-16" />}
      {found.isError && !found.data && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {found.data && all.length === 0 && <p className="text-muted">No deliveries.</p>}
      {all.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-md border border-line bg-surface">
          {all.map((delivery) => (
            <DeliveryRow key={delivery.id} delivery={delivery} stale={stale}>
              <Link
                to="/events/$eventId"
                params={{ eventId: delivery.event.id }}
                className="min-w-0 font-medium wrap-anywhere hover:underline"
              >
                {delivery.event.title ?? delivery.event.id}
                {delivery.messageNumber !== null && (
                  <span className="font-normal text-muted"> · message {delivery.messageNumber}</span>
                )}
              </Link>
            </DeliveryRow>
          ))}
        </ul>
      )}
      <MoreButton pages={found} className="mt-4">
        Show earlier deliveries
      </MoreButton>
    </section>
  );
}
