import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { isRefused } from "../../api/call.ts";
import { Elsewhere } from "../../session/elsewhere.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { EventView } from "./event-view.tsx";
import { eventPlaceQuery, eventQuery } from "./report-queries.ts";

/** The page of an event. */
export function EventPage() {
  const { eventId } = useParams({ from: "/signed-in/events/$eventId" });
  const event = useQuery(eventQuery(eventId));
  if (isRefused(event.error, "event_not_found")) {
    return <Elsewhere what="event" place={eventPlaceQuery(eventId)} skeleton={<EventSkeleton />} />;
  }
  if (event.data) return <EventView key={eventId} event={event.data} />;
  if (event.isError) return <LoadError error={event.error} retry={() => void event.refetch()} />;
  return <EventSkeleton />;
}

function EventSkeleton() {
  return (
    <div aria-busy className="mx-auto flex max-w-6xl flex-col gap-4 px-4 py-6 md:px-8">
      <p className="sr-only">Loading the event</p>
      <Skeleton className="h-7 w-2/3" />
      <Skeleton className="h-48" />
      <Skeleton className="h-32" />
    </div>
  );
}
