import type { Activity as Entry } from "@lodge/contract/dashboard/tickets";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import { isRefused } from "../../api/call.ts";
import { activitiesQuery, commentsQuery } from "../../api/queries.ts";
import { useLostAt } from "../../api/reach.ts";
import { useSession } from "../../session/use-session.ts";
import { useWaiting } from "../../session/waiting.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { LoadError } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import type { NewComment } from "../send-later.ts";
import { Author } from "./author.tsx";
import { ChangedTexts } from "./changed-texts.tsx";
import { OneComment } from "./comment.tsx";
import { activityInWords } from "./history.ts";
import { RichText } from "./rich-text.tsx";

/** The history and comments of a ticket in one list, oldest first. */
export function Activity({ ticketId }: { ticketId: string }) {
  const { user } = useSession();
  const waiting = useWaiting<NewComment>("comment");
  const comments = useInfiniteQuery(commentsQuery(ticketId));
  const history = useInfiniteQuery(activitiesQuery(ticketId));
  const said = comments.data?.pages.flatMap((page) => page.comments) ?? [];
  const happened = history.data?.pages.flatMap((page) => page.activities) ?? [];
  const hasCome = (sent: NewComment) =>
    said.some(({ id, author, text }) => author.id === user.id && text === sent.text && !sent.before.includes(id));
  const onTheWay = waiting.filter((sent) => sent.ticketId === ticketId && !hasCome(sent));
  // Comments are loaded oldest first. Later history entries are hidden until the comments before them are loaded.
  const until = comments.hasNextPage ? said.at(-1)?.createdAt : undefined;
  const items = [
    ...said.map((comment) => ({
      at: comment.createdAt,
      item: <OneComment key={comment.id} ticketId={ticketId} comment={comment} />,
    })),
    ...happened
      .filter(({ kind, createdAt }) => kind !== "ticket.commented" && (until === undefined || createdAt <= until))
      .map((entry) => ({ at: entry.createdAt, item: <Happened key={entry.id} ticketId={ticketId} entry={entry} /> })),
  ].toSorted((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0));
  return (
    <section aria-labelledby="activity" className="px-2">
      <h2 id="activity" className="mb-3 text-sm font-semibold">
        Activity
      </h2>
      {(comments.isPending || history.isPending) && <Skeleton className="mb-3 h-12" />}
      {comments.isError && !isGone(comments) && (
        <LoadError error={comments.error} retry={() => void comments.refetch()} />
      )}
      {history.isError && !isGone(history) && <LoadError error={history.error} retry={() => void history.refetch()} />}
      {history.hasNextPage && (
        <More busy={history.isFetchingNextPage} load={() => void history.fetchNextPage()}>
          Show earlier activity
        </More>
      )}
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ol role="list" className="flex flex-col gap-3">
        {items.map(({ item }) => item)}
        {onTheWay.map(({ key, text }) => (
          <CommentOnTheWay key={key} name={user.name} text={text} />
        ))}
      </ol>
      {comments.hasNextPage && (
        <More busy={comments.isFetchingNextPage} load={() => void comments.fetchNextPage()}>
          Show later activity
        </More>
      )}
    </section>
  );
}

/** A comment that is not saved yet. */
function CommentOnTheWay({ name, text }: { name: string; text: string }) {
  const item = useRef<HTMLLIElement>(null);
  const isLost = useLostAt() !== undefined;
  useEffect(() => {
    item.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <li ref={item} aria-busy className="flex scroll-my-4 gap-2.5">
      <Avatar name={name} />
      <div className="min-w-0 flex-1 rounded-lg border border-dashed border-line-strong px-3 pt-1.5 pb-2.5">
        <p className="mb-1 text-sm text-muted">
          <span className="text-ink">{name}</span> {isLost ? "not sent yet: Lodge cannot be reached" : "sending"}
        </p>
        <RichText text={text} />
      </div>
    </li>
  );
}

/** If the card was deleted while open, the panel says so. */
const isGone = ({ data, error }: { data: unknown; error: unknown }) =>
  data !== undefined && isRefused(error, "ticket_not_found");

function More({ busy, load, children }: { busy: boolean; load: () => void; children: ReactNode }) {
  return (
    <Button small look="quiet" className="my-2" busy={busy} onClick={load}>
      {children}
    </Button>
  );
}

function Happened({ ticketId, entry }: { ticketId: string; entry: Entry }) {
  const changesText = entry.changes?.some(({ field }) => field === "description") ?? false;
  return (
    <li className="flex gap-2.5 text-sm text-muted">
      <span aria-hidden className="mt-2 ml-2.5 size-1.5 shrink-0 rounded-full bg-line-strong" />
      <div className="min-w-0 flex-1 pl-2.5">
        <p className="wrap-anywhere">
          <span className="text-ink">
            <Author author={entry.actor} />
          </span>{" "}
          {activityInWords(entry)} · <Time at={entry.createdAt} />
        </p>
        {changesText && <ChangedTexts ticketId={ticketId} activityId={entry.id} />}
      </div>
    </li>
  );
}
