import { listWork } from "@lodge/contract/calls.generated";
import type { WorkCard } from "@lodge/contract/dashboard/work";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type RefObject, useRef } from "react";
import { call } from "../../api/call.ts";
import { keyOf, staleTimeWhileLive } from "../../api/query.ts";
import { MoreButton } from "../../ui/more-button.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Part } from "../../ui/part.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Day, today } from "../../ui/time.tsx";
import { useListKeys } from "../../ui/use-list-keys.ts";
import { shownTitle } from "../../ui/visible-text.ts";
import { PriorityMark, priorityLabels } from "../ticket/priority.tsx";

/** The open cards of all boards that are assigned to the person or followed by them, sorted by due date. */
export function WorkPage() {
  const assigned = useRef<HTMLUListElement>(null);
  useListKeys(assigned);
  return (
    <main className="mx-auto flex max-w-3xl flex-col gap-8 px-4 py-6 md:px-8">
      <PageHeading title="My work" hint="Open cards on all boards, sorted by due date." />
      <WorkList
        title="Assigned to you"
        show="assigned"
        empty="Cards that are assigned to you appear here."
        list={assigned}
      />
      <WorkList
        title="Followed"
        show="followed"
        empty="Cards that you filed, commented on or follow appear here. To follow a card, open its menu."
      />
    </main>
  );
}

function WorkList({
  title,
  show,
  empty,
  list,
}: {
  title: string;
  show: "assigned" | "followed";
  empty: string;
  list?: RefObject<HTMLUListElement | null>;
}) {
  const work = useInfiniteQuery({
    queryKey: keyOf(listWork, { query: { show } }),
    queryFn: ({ pageParam }) => call(listWork, { query: { show, ...(pageParam && { cursor: pageParam }) } }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
    staleTime: staleTimeWhileLive,
  });
  const cards = work.data?.pages.flatMap((page) => page.cards) ?? [];
  return (
    <Part title={title}>
      {work.isPending && <Skeleton className="h-28" />}
      {work.isError && !work.data && <LoadError error={work.error} retry={() => void work.refetch()} />}
      {work.data && cards.length === 0 && <Empty title="No cards">{empty}</Empty>}
      {cards.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul ref={list} role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {cards.map((card) => (
            <WorkRow key={card.id} card={card} />
          ))}
        </ul>
      )}
      <MoreButton pages={work} className="mt-2">
        Show more
      </MoreButton>
    </Part>
  );
}

function WorkRow({ card }: { card: WorkCard }) {
  const { id, number, title, priority, dueAt, project, board, column } = card;
  const isOverdue = dueAt !== null && dueAt < today();
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-0.5 px-3 py-2.5">
      <span className="self-center">
        <PriorityMark priority={priority} />
        <span className="sr-only">{priorityLabels[priority]}</span>
      </span>
      <div className="min-w-0 flex-1 basis-60">
        <Link to="/tickets/$ticketId" params={{ ticketId: id }} className="font-medium wrap-anywhere hover:underline">
          {number && <span className="font-normal text-muted tabular-nums">{number} </span>}
          <span dir="auto">{shownTitle(title)}</span>
        </Link>
        <p className="text-sm text-muted wrap-anywhere">
          {project.name} · {board.name} · {column.name}
          {dueAt && (
            <>
              {" · "}
              <span className={isOverdue ? "font-medium text-danger-ink" : ""}>
                {isOverdue ? "Overdue since " : "Due "}
                <Day date={dueAt} />
              </span>
            </>
          )}
        </p>
      </div>
    </li>
  );
}
