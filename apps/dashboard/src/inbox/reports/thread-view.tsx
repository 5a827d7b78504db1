import { makeEventCard } from "@lodge/contract/calls.generated";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call, isRefused } from "../../api/call.ts";
import { buttonClass } from "../../ui/button.tsx";
import { NotFound } from "../../ui/not-found.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { Conversation, Said } from "./conversation.tsx";
import { MakeCard } from "./make-card.tsx";
import { threadSummaryQuery } from "./report-queries.ts";

/** A conversation with a reporter, below the report that it is about. */
export function ThreadView({ threadId }: { threadId: string }) {
  const thread = useQuery(threadSummaryQuery(threadId));
  if (isRefused(thread.error, "thread_not_found")) return <NotFound what="conversation" />;
  if (!thread.data && thread.isError) {
    return <LoadError error={thread.error} retry={() => void thread.refetch()} />;
  }
  if (!thread.data) {
    return (
      <div aria-busy className="flex flex-col gap-4 p-4 md:p-8">
        <p className="sr-only">Loading the conversation</p>
        <Skeleton className="h-7 w-2/3" />
        <Skeleton className="h-32" />
      </div>
    );
  }
  const { eventId, app, title, message, reporter, createdAt, closed } = thread.data;
  return (
    <section aria-label="Conversation" className="mx-auto max-w-3xl px-4 py-6 md:px-8">
      <PageHeading
        title={title || "A report"}
        hint={
          <span className="flex flex-wrap gap-x-3 text-sm wrap-anywhere">
            {reporter !== null && <span>{reporter}</span>}
            <span>{app.name}</span>
            <span>
              Reported <Time at={createdAt} />
            </span>
            {closed && <span>Closed by {closed.byName}</span>}
          </span>
        }
      >
        <Link to="/events/$eventId" params={{ eventId }} className={buttonClass()}>
          Show the report
        </Link>
        <MakeCard make={(columnId) => call(makeEventCard, { params: { eventId }, body: { columnId } })} />
      </PageHeading>
      {message !== "" && message !== title && (
        <div className="mb-4">
          <Said by={null} at={createdAt} text={message} />
        </div>
      )}
      <Conversation threadId={threadId} eventId={eventId} appId={app.id} />
    </section>
  );
}
