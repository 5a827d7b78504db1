import type { ThreadSummary } from "@lodge/contract/dashboard/threads";
import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { ChevronLeft } from "lucide-react";
import { useRef } from "react";
import { Choice, type Option } from "../../ui/choice.tsx";
import { MoreButton } from "../../ui/more-button.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { useHeadingFocus, useTitle } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { useListKeys } from "../../ui/use-list-keys.ts";
import { useMedia } from "../../ui/use-media.ts";
import { answerHash } from "./conversation.tsx";
import { inboxesQuery, threadCountsQuery, threadsQuery } from "./report-queries.ts";
import { readThreadSearch, type ThreadSearch } from "./thread-search.ts";
import { ThreadView } from "./thread-view.tsx";

/** Screens on which a conversation opens beside the list. On others it replaces the list. */
const wide = "(min-width: 64rem)";

/** The conversations with reporters of all apps, and the open conversation. */
export function ThreadsPage() {
  const { threadId }: { threadId?: string } = useParams({ strict: false });
  const search = useSearch({ from: "/signed-in/among-threads" });
  const beside = useMedia(wide);
  return (
    <main className="flex h-full">
      {(beside || !threadId) && (
        <div className="flex h-full min-w-0 flex-1 flex-col lg:max-w-104 lg:border-r lg:border-line">
          <ThreadList search={search} {...(threadId && { openId: threadId })} />
        </div>
      )}
      {threadId ? (
        <div className="h-full min-w-0 flex-1 overflow-y-auto">
          {!beside && (
            <Link
              to="/threads"
              search={search}
              className="mx-4 mt-4 -mb-2 inline-flex items-center gap-1 rounded-sm text-sm text-muted hover:text-ink hover:underline"
            >
              <ChevronLeft aria-hidden className="size-4" />
              Conversations
            </Link>
          )}
          <ThreadView key={threadId} threadId={threadId} />
        </div>
      ) : (
        beside && <p className="m-auto p-8 text-muted">J and K to move, Enter to open, R to reply.</p>
      )}
    </main>
  );
}

const any = "any-app";
const states: Option<NonNullable<ThreadSearch["state"]> | "open">[] = [
  { value: "open", label: "Open" },
  { value: "waiting", label: "Waiting for a reply" },
  { value: "unread", label: "Unread" },
  { value: "closed", label: "Closed" },
];

function ThreadList({ search, openId }: { search: ThreadSearch; openId?: string }) {
  const navigate = useNavigate();
  const heading = useHeadingFocus(() => openId !== undefined);
  useTitle(openId ? undefined : "Conversations");
  const threads = useInfiniteQuery({ ...threadsQuery(search), placeholderData: keepPreviousData });
  const { data: counts } = useQuery(threadCountsQuery);
  const { data: { inboxes = [] } = {} } = useQuery(inboxesQuery);
  const list = useRef<HTMLUListElement>(null);
  const all = threads.data?.pages.flatMap((page) => page.threads);
  useListKeys(list, {
    r: (index) => {
      const thread = all?.[index];
      if (!thread || thread.id === openId) document.getElementById(answerHash)?.focus();
      else {
        const params = { threadId: thread.id };
        void navigate({ to: "/threads/$threadId", params, search, hash: answerHash });
      }
    },
  });
  const { state = "open", app = any } = search;
  const show = (change: { state?: string; app?: string }) =>
    void navigate({ to: ".", search: readThreadSearch({ state, app, ...change }), replace: true });
  return (
    <>
      <div className="flex flex-col gap-3 border-b border-line px-4 py-4">
        <div>
          <h1 ref={heading} tabIndex={-1} className="text-lg font-semibold tracking-tight">
            Conversations
          </h1>
          <p className="text-sm text-muted">{counts ? inWords(counts) : "\u00a0"}</p>
        </div>
        <search aria-label="Filter conversations" className="flex flex-wrap gap-2">
          <Choice
            label="Show"
            options={states}
            value={state}
            onChange={(chosen) => show({ state: chosen })}
            className="w-48"
          />
          {inboxes.length > 1 && (
            <Choice
              label="App"
              options={[
                { value: any, label: "All apps" },
                ...inboxes.map((inbox) => ({ value: inbox.app.id, label: inbox.app.name })),
              ]}
              value={app}
              onChange={(chosen) => show({ app: chosen })}
              className="w-36"
            />
          )}
        </search>
      </div>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {threads.isPending && (
          <div aria-busy className="p-4">
            <p className="sr-only">Loading the conversations</p>
            <Skeleton className="h-40" />
          </div>
        )}
        {threads.isError && !threads.data && <LoadError error={threads.error} retry={() => void threads.refetch()} />}
        {all?.length === 0 && (
          <div className="p-4">
            <Empty title={state === "open" ? "No conversations yet" : "No matching conversations"}>
              {state === "open"
                ? "A conversation appears here when you reply to a report or its reporter sends a message. To allow this, turn on “Replies to reporters” in the app’s settings."
                : "Show open conversations, or choose “All apps”."}
            </Empty>
          </div>
        )}
        {all && all.length > 0 && (
          // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
          <ul ref={list} role="list" className="divide-y divide-line">
            {all.map((thread) => (
              <ThreadRow
                key={thread.id}
                thread={thread}
                search={search}
                isOpen={thread.id === openId}
                withApp={inboxes.length > 1 && app === any}
              />
            ))}
          </ul>
        )}
        <MoreButton pages={threads} className="m-4">
          Show more
        </MoreButton>
      </div>
    </>
  );
}

const countedMax = 1_000;
const upTo = (count: number) => `${formatCount(count)}${count === countedMax ? "+" : ""}`;

function inWords({ waitingCount, unreadCount }: { waitingCount: number; unreadCount: number }): string {
  if (waitingCount === 0) return "No conversation is waiting for a reply.";
  const waiting = waitingCount === 1 ? "1 is waiting for a reply" : `${upTo(waitingCount)} are waiting for a reply`;
  return unreadCount === 0 ? `${waiting}.` : `${waiting}, ${upTo(unreadCount)} unread.`;
}

function ThreadRow({
  thread,
  search,
  isOpen,
  withApp,
}: {
  thread: ThreadSummary;
  search: ThreadSearch;
  isOpen: boolean;
  withApp: boolean;
}) {
  const { id, title, reporter, lastMessage, lastMessageAt, unreadCount, awaitsAnswer, closed, app } = thread;
  const isUnread = unreadCount > 0;
  return (
    <li className={`relative px-4 py-3 hover:bg-hover ${isOpen ? "bg-accent-soft hover:bg-accent-soft" : ""}`}>
      <div className="flex items-baseline gap-2 text-sm text-muted">
        {isUnread && (
          <span className="size-2 shrink-0 self-center rounded-full bg-accent">
            <span className="sr-only">{unreadCount} unread:</span>
          </span>
        )}
        <span className={`min-w-0 flex-1 truncate ${isUnread ? "font-medium text-ink" : ""}`}>
          {reporter ?? "The reporter"}
        </span>
        {lastMessageAt !== null && <Time at={lastMessageAt} />}
      </div>
      <Link
        to="/threads/$threadId"
        params={{ threadId: id }}
        search={search}
        {...(isOpen && { "aria-current": "page" as const })}
        className={`line-clamp-1 wrap-anywhere after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent ${isUnread ? "font-semibold" : "font-medium"}`}
      >
        {title || "A report"}
      </Link>
      {lastMessage && (
        <p className="line-clamp-2 text-sm text-muted wrap-anywhere">
          {lastMessage.author === "team" && `${lastMessage.authorName}: `}
          {lastMessage.text}
        </p>
      )}
      <p className="flex flex-wrap gap-x-3 text-xs text-muted empty:hidden">
        {withApp && <span className="max-w-40 truncate">{app.name}</span>}
        {closed && <span>Closed</span>}
        {!closed && awaitsAnswer && <span className="text-warn-ink">Waiting for a reply</span>}
      </p>
    </li>
  );
}
