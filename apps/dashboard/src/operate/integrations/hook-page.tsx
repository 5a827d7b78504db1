import {
  changeHook,
  listHookDeliveries,
  listHooks,
  resendHookDeliveries,
  resendHookDelivery,
} from "@lodge/contract/calls.generated";
import type { HookDeliveryPage } from "@lodge/contract/dashboard/hooks";
import { infiniteQueryOptions, useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Pause, Pencil, Play, RotateCw } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { keyOf, query } from "../../api/query.ts";
import { Attempts } from "../../inbox/subscribers/attempts.tsx";
import { DeliveryProgress, DeliveryState } from "../../inbox/subscribers/delivery-state.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Choice } from "../../ui/choice.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { Modal } from "../../ui/modal.tsx";
import { MoreButton } from "../../ui/more-button.tsx";
import { NotFound } from "../../ui/not-found.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";
import { type Hook, isComplete, TicketEvents, typeLabels } from "./ticket-events.tsx";

type Delivery = HookDeliveryPage["deliveries"][number];
type Shown = Delivery["state"] | "all";

const shownOptions: { value: Shown; label: string }[] = [
  { value: "all", label: "All deliveries" },
  { value: "waiting", label: "Waiting" },
  { value: "failed", label: "Retrying" },
  { value: "dead", label: "Failed permanently" },
  { value: "delivered", label: "Delivered" },
];
const refetchMs = 5_000;
const dayMs = 86_400_000;

/** The page of a webhook: its ticket events and its deliveries. */
export function HookPage() {
  const { hookId } = useParams({ from: "/signed-in/settings/hooks/$hookId" });
  const hooks = useQuery(query(listHooks));
  const hook = hooks.data?.hooks.find(({ id }) => id === hookId);
  if (hooks.data && !hook) return <NotFound what="webhook" />;
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 md:px-8">
      {hook && <HookView hook={hook} />}
      {hooks.isPending && <Skeleton className="h-28" />}
      {hooks.isError && !hooks.data && <LoadError error={hooks.error} retry={() => void hooks.refetch()} />}
    </main>
  );
}

function HookView({ hook }: { hook: Hook }) {
  const [isChoosing, setChoosing] = useState(false);
  const switchIt = useMutation({
    mutationFn: () => call(changeHook, { params: { hookId: hook.id }, body: { enabled: !hook.enabled } }),
    onSuccess: () => fetchAfter({ kind: "hooks.changed" }),
    onError: (error) => tellFailed("The webhook was not changed", error),
  });
  return (
    <>
      <nav aria-label="Breadcrumb" className="mb-2 text-sm text-muted">
        <Link to="/integrations" className="rounded-sm hover:text-ink hover:underline">
          Integrations
        </Link>{" "}
        <span aria-hidden>/</span> Webhooks
      </nav>
      <PageHeading title={hook.url} hint={inWords(hook)}>
        <div className="flex flex-wrap gap-2">
          <Button onClick={() => setChoosing(true)}>
            <Pencil aria-hidden className="size-4" />
            Choose events
          </Button>
          <Button busy={switchIt.isPending} onClick={() => switchIt.mutate()}>
            {hook.enabled ? <Pause aria-hidden className="size-4" /> : <Play aria-hidden className="size-4" />}
            {hook.enabled ? "Disable" : "Enable"}
          </Button>
        </div>
      </PageHeading>
      {!hook.enabled && (
        <p className="mb-4 rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
          Disabled. {hook.disabledReason} Nothing is sent until you enable it.
        </p>
      )}
      <Deliveries hook={hook} />
      {isChoosing && <ChooseEventsDialog hook={hook} close={() => setChoosing(false)} />}
    </>
  );
}

/** The ticket events and projects of a webhook, in one line. */
export const inWords = ({ ticketTypes, projectIds }: Hook): string =>
  ticketTypes.length === 0
    ? "Organisation alerts only"
    : `Alerts, and ticket events${
        projectIds === null ? "" : ` in ${projectIds.length === 1 ? "1 project" : `${projectIds.length} projects`}`
      }: ${ticketTypes.map((type) => typeLabels[type].toLowerCase()).join(", ")}`;

function ChooseEventsDialog({ hook, close }: { hook: Hook; close: () => void }) {
  const [chosen, setChosen] = useState({ ticketTypes: hook.ticketTypes, projectIds: hook.projectIds });
  const save = useMutation({
    mutationFn: () => call(changeHook, { params: { hookId: hook.id }, body: chosen }),
    onSuccess: async () => {
      await fetchAfter({ kind: "hooks.changed" });
      close();
    },
  });
  return (
    <Modal title="Choose events" close={close}>
      <DialogForm save={save} submit="Save" disabled={!isComplete(chosen)} onSubmit={() => save.mutate()} close={close}>
        <TicketEvents value={chosen} onChange={setChosen} />
      </DialogForm>
    </Modal>
  );
}

const deliveriesQuery = (hookId: string, shown: Shown) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(listHookDeliveries, { params: { hookId } }), shown],
    queryFn: ({ pageParam }) =>
      call(listHookDeliveries, {
        params: { hookId },
        query: { ...(shown !== "all" && { state: shown }), ...(pageParam && { cursor: pageParam }) },
      }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
    // Once several pages are loaded, none is refreshed while it is read.
    refetchInterval: ({ state }) => (state.data?.pages.length === 1 ? refetchMs : false),
  });

function Deliveries({ hook }: { hook: Hook }) {
  const { id: hookId, enabled } = hook;
  const [shown, setShown] = useState<Shown>("all");
  const [isReplaying, setReplaying] = useState(false);
  const found = useInfiniteQuery(deliveriesQuery(hookId, shown));
  const queryClient = useQueryClient();
  const stale = keyOf(listHookDeliveries, { params: { hookId } });
  const resend = useMutation({
    mutationFn: (deliveryId: string) => call(resendHookDelivery, { params: { hookId, deliveryId } }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: stale });
      tellDone("The delivery is being resent");
    },
    onError: (error) => tellFailed("Could not resend the delivery", error),
  });
  const all = found.data?.pages.flatMap(({ deliveries }) => deliveries) ?? [];
  return (
    <section aria-labelledby="deliveries">
      <div className="mb-2 flex flex-wrap items-center gap-3">
        <h2 id="deliveries" className="flex-1 text-sm font-semibold">
          Deliveries
        </h2>
        {enabled && (
          <Button small onClick={() => setReplaying(true)}>
            Resend deliveries
          </Button>
        )}
        <Choice label="Show" chip options={shownOptions} value={shown} onChange={setShown} />
      </div>
      {found.isPending && <Skeleton className="h-16" />}
      {found.isError && !found.data && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {found.data && all.length === 0 && (
        <p className="text-muted">
          {shown !== "all"
            ? "No deliveries in this state."
            : hook.ticketTypes.length > 0
              ? "Deliveries appear here when one of the chosen events happens to a card."
              : "Choose ticket events to see their deliveries here."}
        </p>
      )}
      {all.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-md border border-line bg-surface">
          {all.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              resend={enabled && !resend.isPending ? () => resend.mutate(delivery.id) : undefined}
            />
          ))}
        </ul>
      )}
      <MoreButton pages={found} className="mt-4">
        Show earlier deliveries
      </MoreButton>
      {isReplaying && <ReplayDialog hookId={hookId} close={() => setReplaying(false)} />}
    </section>
  );
}

function DeliveryRow({ delivery, resend }: { delivery: Delivery; resend: (() => void) | undefined }) {
  const { ticket, type } = delivery;
  return (
    <li className="far-off px-3 py-2">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <div className="flex min-w-0 flex-1 basis-40 items-baseline gap-2">
          <Link
            to="/tickets/$ticketId"
            params={{ ticketId: ticket.id }}
            className="min-w-0 font-medium wrap-anywhere hover:underline"
          >
            {ticket.number && <span className="font-normal text-muted">{ticket.number} </span>}
            {ticket.title}
          </Link>
          <code className="text-xs text-muted">{type}</code>
        </div>
        <DeliveryState delivery={delivery} />
        <IconButton label={`Resend ${type} of ${ticket.title}`} disabled={!resend} onClick={() => resend?.()}>
          <RotateCw aria-hidden className="size-4" />
        </IconButton>
      </div>
      <details>
        <summary className="w-fit cursor-pointer">
          <DeliveryProgress delivery={delivery} />
        </summary>
        <div className="py-2 pl-4">
          <Attempts delivery={delivery} />
        </div>
      </details>
    </li>
  );
}

const periods = [
  { value: "1", label: "The last day" },
  { value: "7", label: "The last 7 days" },
  { value: "30", label: "The last 30 days" },
] as const;
const states = [
  { value: "dead", label: "Permanently failed deliveries" },
  { value: "all", label: "Failed and successful deliveries" },
] as const;

/** Resends the deliveries of a period. */
function ReplayDialog({ hookId, close }: { hookId: string; close: () => void }) {
  const [days, setDays] = useState<(typeof periods)[number]["value"]>("1");
  const [state, setState] = useState<(typeof states)[number]["value"]>("dead");
  const queryClient = useQueryClient();
  const replay = useMutation({
    mutationFn: () => {
      const from = new Date(Date.now() - Number(days) * dayMs).toISOString();
      return call(resendHookDeliveries, { params: { hookId }, body: { state, from } });
    },
    onSuccess: async ({ count }) => {
      await queryClient.invalidateQueries({ queryKey: keyOf(listHookDeliveries, { params: { hookId } }) });
      tellDone(count === 1 ? "1 delivery is being resent" : `${formatCount(count)} deliveries are being resent`);
      close();
    },
  });
  return (
    <Modal title="Resend deliveries" close={close}>
      <DialogForm save={replay} submit="Resend" onSubmit={() => replay.mutate()} close={close}>
        <Choice label="Period" options={[...periods]} value={days} onChange={setDays} />
        <Choice label="Deliveries" options={[...states]} value={state} onChange={setState} />
      </DialogForm>
    </Modal>
  );
}
