import type { Activity } from "@lodge/contract/dashboard/tickets";
import { useInfiniteQuery } from "@tanstack/react-query";
import { activitiesQuery } from "../api/queries.ts";
import { Button } from "../ui/button.tsx";
import { LoadError } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { formatDay, Time } from "../ui/time.tsx";
import { Author } from "./author.tsx";
import { type Priority, priorityLabels } from "./priority.tsx";

/** Who did what with a ticket, and when; the newest first. */
export function History({ ticketId }: { ticketId: string }) {
  const activities = useInfiniteQuery(activitiesQuery(ticketId));
  const all = activities.data?.pages.flatMap((page) => page.activities) ?? [];
  return (
    <section aria-labelledby="history" className="px-2">
      <h2 id="history" className="mb-2 text-sm font-semibold">
        History
      </h2>
      {activities.isPending && <Skeleton className="h-6 w-2/3" />}
      {activities.isError && <LoadError error={activities.error} retry={() => void activities.refetch()} />}
      <ul className="flex flex-col gap-1.5 text-sm text-muted">
        {all.map((activity) => (
          <li key={activity.id} className="border-l-2 border-line pl-3 wrap-anywhere">
            <span className="text-ink">
              <Author author={activity.actor} />
            </span>{" "}
            {inWords(activity)} · <Time at={activity.createdAt} />
          </li>
        ))}
      </ul>
      {activities.hasNextPage && (
        <Button
          small
          look="quiet"
          className="mt-2"
          busy={activities.isFetchingNextPage}
          onClick={() => void activities.fetchNextPage()}
        >
          Show what was before
        </Button>
      )}
    </section>
  );
}

function inWords(activity: Activity): string {
  switch (activity.kind) {
    case "ticket.filed":
      return "filed the ticket";
    case "ticket.commented":
      return "commented";
    case "ticket.moved":
      return `moved it from ${activity.from} to ${activity.to}`;
    case "ticket.archived":
      return "archived it";
    case "ticket.restored":
      return "brought it back from the archive";
    case "ticket.occurred":
      return `told of it again: ${activity.occurrence} times by now`;
    case "ticket.resolved":
      return activity.to === undefined ? "said that it is over" : `said that it is over: it went to ${activity.to}`;
    case "ticket.changed":
      return (activity.changes ?? []).map(changeInWords).join(", ");
    default:
      return activity.kind satisfies never;
  }
}

type Change = NonNullable<Activity["changes"]>[number];

function changeInWords({ field, from, to }: Change): string {
  switch (field) {
    case "title":
      return `changed the title from “${from}” to “${to}”`;
    case "description":
      return "changed the description";
    case "priority":
      return `set the priority to ${priorityLabels[to as Priority].toLowerCase()}`;
    case "assignee":
      return to === null ? `took it from ${from}` : `assigned it to ${to}`;
    case "agentRepository":
      return to === null ? "took the repository off" : `set the repository to ${to}`;
    case "startsAt":
      return to === null ? "took the start off" : `set the start to ${formatDay(to)}`;
    case "labels":
      return to === null ? "took the labels off" : `set the labels to ${to}`;
    case "dueAt":
      return to === null ? "took the due day off" : `set the due day to ${formatDay(to)}`;
    default:
      return field satisfies never;
  }
}
