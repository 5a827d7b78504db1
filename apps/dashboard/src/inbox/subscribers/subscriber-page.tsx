import {
  changeSubscriber,
  deleteSubscriber,
  getSubscriber,
  rotateSubscriberSecret,
  sendSubscriberConfirmation,
} from "@lodge/contract/calls.generated";
import type { SubscriberDetails } from "@lodge/contract/dashboard/subscribers";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { Mail, Pause, Pencil, Play, Trash2 } from "lucide-react";
import { useState } from "react";
import { call, isRefused } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/modal.tsx";
import { NotFound } from "../../ui/not-found.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { many } from "../../ui/numbers.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Part } from "../../ui/part.tsx";
import { RotateSecretDialog } from "../../ui/rotate-secret-dialog.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";
import { EditSubscriberDialog } from "./edit-subscriber-dialog.tsx";
import { FilterInWords } from "./filter-in-words.tsx";
import { HealthChart } from "./health-chart.tsx";
import { ReplayDialog } from "./replay-dialog.tsx";
import { Replays } from "./replays.tsx";
import { SubscriberDeliveries } from "./subscriber-deliveries.tsx";
import { receiverOf, subscriberLabels } from "./subscriber-kinds.tsx";
import { SubscriberState } from "./subscriber-state.tsx";

/** No live event announces changes of the counts. */
const refetchMs = 5_000;

/** The page of a subscriber: state, health, filter, replays and deliveries. */
export function SubscriberPage() {
  const { subscriberId } = useParams({ from: "/signed-in/settings/subscribers/$subscriberId" });
  const found = useQuery({
    ...query(getSubscriber, { params: { subscriberId } }),
    refetchInterval: refetchMs,
  });
  if (isRefused(found.error, "subscriber_not_found")) return <NotFound what="subscriber" />;
  if (found.data) return <SubscriberView key={subscriberId} subscriber={found.data} />;
  if (found.isError) return <LoadError error={found.error} retry={() => void found.refetch()} />;
  return (
    <div aria-busy className="mx-auto flex max-w-4xl flex-col gap-4 px-4 py-8 md:px-8">
      <p className="sr-only">Loading the subscriber</p>
      <Skeleton className="h-7 w-2/3" />
      <Skeleton className="h-32" />
    </div>
  );
}

function SubscriberView({ subscriber }: { subscriber: SubscriberDetails }) {
  const { id, app, kind, enabled } = subscriber;
  const [open, setOpen] = useState<"edit" | "pause" | "rotate" | "replay" | "delete">();
  const [missedSince, setMissedSince] = useState<string>();
  const navigate = useNavigate();
  const close = () => setOpen(undefined);
  const change = async (enabledNext: boolean) => {
    await call(changeSubscriber, { params: { subscriberId: id }, body: { enabled: enabledNext } });
    await fetchAfter({ kind: "subscribers.changed" });
  };
  const enable = useMutation({
    mutationFn: () => change(true),
    onMutate: () => setMissedSince(subscriber.disabledAt ?? undefined),
    onSuccess: () => setOpen("replay"),
    onError: (error) => tellFailed("Could not enable the subscriber", error),
  });
  const sendAgain = useMutation({
    mutationFn: () => call(sendSubscriberConfirmation, { params: { subscriberId: id } }),
    onSuccess: async ({ waitsForConfirmation }) => {
      await fetchAfter({ kind: "subscribers.changed" });
      tellDone(waitsForConfirmation ? "Link sent" : "Your own address is confirmed without a link");
    },
    onError: (error) => tellFailed("Could not send the link", error),
  });
  return (
    <main className="mx-auto flex max-w-4xl flex-col gap-6 px-4 py-8 md:px-8">
      <div>
        <nav aria-label="Breadcrumb" className="mb-2 flex flex-wrap gap-x-1.5 text-sm text-muted">
          <Link to="/integrations" className="rounded-sm hover:text-ink hover:underline">
            Integrations
          </Link>
          <span aria-hidden>/</span>
          <span className="wrap-anywhere">{app.name}</span>
        </nav>
        <PageHeading
          title={`${subscriberLabels[kind]} ${receiverOf(subscriber)}`}
          hint={<SubscriberState subscriber={subscriber} />}
        >
          <Button onClick={() => setOpen("edit")}>
            <Pencil aria-hidden className="size-4" />
            Edit
          </Button>
          {subscriber.waitsForConfirmation ? (
            <Button busy={sendAgain.isPending} onClick={() => sendAgain.mutate()}>
              <Mail aria-hidden className="size-4" />
              Resend link
            </Button>
          ) : enabled ? (
            <Button onClick={() => setOpen("pause")}>
              <Pause aria-hidden className="size-4" /> Disable
            </Button>
          ) : (
            <Button look="primary" busy={enable.isPending} onClick={() => enable.mutate()}>
              <Play aria-hidden className="size-4" />
              Enable
            </Button>
          )}
          <Button onClick={() => setOpen("delete")}>
            <Trash2 aria-hidden className="size-4" />
            Delete
          </Button>
        </PageHeading>
      </div>
      {subscriber.waitsForConfirmation && (
        <p className="text-sm text-muted">
          Lodge has e-mailed a confirmation link to this address and sends reports once its owner confirms. If the
          e-mail did not arrive, resend the link.
        </p>
      )}
      <Part title="Health">
        <HealthChart health={subscriber.health} />
      </Part>
      <Part title="Filter and rate limit">
        <FilterInWords filter={subscriber.filter} />
        {subscriber.perMinute !== null && <p>At most {many(subscriber.perMinute, "message")} a minute.</p>}
        {subscriber.ordered && <p>One at a time, in order.</p>}
      </Part>
      {kind === "webhook" && <Secrets subscriber={subscriber} rotate={() => setOpen("rotate")} />}
      <Part title="Replays">
        <Replays replays={subscriber.replays} />
        <Button
          small
          disabled={!enabled}
          title={enabled ? undefined : "Enable the subscriber first"}
          onClick={() => {
            setMissedSince(undefined);
            setOpen("replay");
          }}
        >
          Replay events…
        </Button>
      </Part>
      <SubscriberDeliveries subscriber={subscriber} />
      {open === "edit" && <EditSubscriberDialog subscriber={subscriber} close={close} />}
      {open === "pause" && (
        <Confirm title="Disable the subscriber?" confirm="Disable subscriber" act={() => change(false)} close={close}>
          It receives nothing until you enable it again, and waiting deliveries fail. After enabling it, you can send
          the missed events and failed deliveries.
        </Confirm>
      )}
      {open === "delete" && (
        <Confirm
          title="Delete the subscriber?"
          confirm="Delete subscriber"
          act={async () => {
            await call(deleteSubscriber, { params: { subscriberId: id } });
            await navigate({ to: "/integrations" });
            await fetchAfter({ kind: "subscribers.changed" });
            tellDone("Subscriber deleted");
          }}
          close={close}
        >
          {goesWith(subscriber)}
        </Confirm>
      )}
      {open === "replay" && <ReplayDialog subscriberId={id} missedSince={missedSince} close={close} />}
      {open === "rotate" && (
        <RotateSecretDialog
          rotate={async () => {
            const made = await call(rotateSubscriberSecret, { params: { subscriberId: id } });
            await fetchAfter({ kind: "subscribers.changed" });
            return made;
          }}
          close={close}
        />
      )}
    </main>
  );
}

/** The consequences of deleting a subscriber. The server counts up to 1,000. */
function goesWith({ kind, waitingCount, deadCount }: SubscriberDetails): string {
  const inState = (count: number, state: string) =>
    `${count >= 1_000 ? "1,000 or more" : count} ${state} ${count === 1 ? "delivery" : "deliveries"}`;
  const waiting = waitingCount === 0 ? "" : ` This cancels ${inState(waitingCount, "waiting")}.`;
  const dead = deadCount === 0 ? "" : ` ${inState(deadCount, "failed")} can no longer be resent.`;
  return `It will no longer receive reports. Its deliveries, attempts and replays are deleted permanently.${waiting}${dead} Reports${kind === "board" ? " and the cards that it created" : ""} are kept.`;
}

function Secrets({ subscriber: { secrets }, rotate }: { subscriber: SubscriberDetails; rotate: () => void }) {
  return (
    <Part title="Signing secrets">
      <ul className="mb-2 flex flex-col gap-1">
        {secrets.map(({ id, createdAt, expiresAt }) => (
          <li key={id}>
            Created <ExactTime at={createdAt} />
            {expiresAt !== null && (
              <span className="text-muted">
                . Messages are also signed with it until <ExactTime at={expiresAt} />.
              </span>
            )}
          </li>
        ))}
      </ul>
      <Button small onClick={rotate}>
        Rotate secret
      </Button>
    </Part>
  );
}
