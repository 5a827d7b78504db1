import { listSubscribers } from "@lodge/contract/calls.generated";
import type { Subscriber } from "@lodge/contract/dashboard/subscribers";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { useState } from "react";
import { query } from "../../api/query.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { SectionHeading } from "../../ui/section-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { NewSubscriberDialog } from "./new-subscriber-dialog.tsx";
import { receiverOf, SubscriberMark, subscriberLabels } from "./subscriber-kinds.tsx";
import { SubscriberState } from "./subscriber-state.tsx";

/** The subscribers of the organisation's apps, for owners and admins. */
export function Subscribers() {
  const found = useQuery(query(listSubscribers));
  const [making, setMaking] = useState(false);
  const { subscribers = [], apps = [] } = found.data ?? {};
  return (
    <section aria-labelledby="subscribers" className="mb-10">
      <SectionHeading id="subscribers" title="Subscribers">
        {apps.length > 0 && (
          <Button onClick={() => setMaking(true)}>
            <Plus aria-hidden className="size-4" />
            New subscriber
          </Button>
        )}
      </SectionHeading>
      <p className="mb-3 max-w-prose text-muted">
        A subscriber is a webhook, a chat, an e-mail address, a GitHub repository or a board.
      </p>
      {found.isPending && (
        <div aria-busy>
          <p className="sr-only">Loading the subscribers</p>
          <Skeleton className="h-28" />
        </div>
      )}
      {found.isError && !found.data && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {found.data && subscribers.length === 0 && (
        <Empty title="No subscribers yet">
          {apps.length === 0
            ? "Create an app first. Its subscribers receive its reports."
            : "A subscriber receives each report of its app: at a webhook, in a chat, or as a card on a board."}
        </Empty>
      )}
      {subscribers.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {subscribers.map((subscriber) => (
            <SubscriberRow key={subscriber.id} subscriber={subscriber} />
          ))}
        </ul>
      )}
      {making && <NewSubscriberDialog apps={apps} close={() => setMaking(false)} />}
    </section>
  );
}

function SubscriberRow({ subscriber }: { subscriber: Subscriber }) {
  const { id, app, kind, waitingCount, deadCount, deliveredCount, failedCount } = subscriber;
  return (
    <li className="relative flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover">
      <div className="min-w-0 flex-1 basis-72">
        <Link
          to="/subscribers/$subscriberId"
          params={{ subscriberId: id }}
          className="flex items-center gap-2 font-medium after:absolute after:inset-0"
        >
          <SubscriberMark kind={kind} />
          <span className="wrap-anywhere">
            {subscriberLabels[kind]} <span className="font-normal text-muted">{receiverOf(subscriber)}</span>
          </span>
        </Link>
        <p className="text-sm text-muted">Reports from {app.name}</p>
      </div>
      <div className="text-sm text-muted md:text-right">
        <SubscriberState subscriber={subscriber} />
        <p className="tabular-nums">
          {formatCount(deliveredCount)} delivered, {formatCount(failedCount)} failed in 24 h
          {waitingCount > 0 && ` · ${capped(waitingCount)} waiting`}
          {deadCount > 0 && ` · ${capped(deadCount)} failed permanently`}
        </p>
      </div>
    </li>
  );
}

const countedMax = 1_000;
const capped = (count: number) => `${formatCount(count)}${count === countedMax ? "+" : ""}`;
