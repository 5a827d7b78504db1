import type { Notice } from "@lodge/contract/dashboard/notices";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import {
  AtSign,
  Bot,
  CheckCheck,
  CircleAlert,
  Mail,
  MailOpen,
  MessageSquare,
  RotateCcw,
  TrendingUp,
  TriangleAlert,
  UserRoundCheck,
} from "lucide-react";
import { useRef } from "react";
import { useSession } from "../../session/use-session.ts";
import { Button, buttonClass, IconButton } from "../../ui/button.tsx";
import { keepFocus } from "../../ui/keep-focus.ts";
import { MoreButton } from "../../ui/more-button.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { useListKeys } from "../../ui/use-list-keys.ts";
import { shownTitle } from "../../ui/visible-text.ts";
import { noticesQuery, unreadCountQuery, useReadNotices } from "./notification-queries.ts";

/** The person's notifications: mentions, cards assigned to them, comments on cards they follow. */
export function NoticesPage() {
  const { organisation } = useSession();
  const { show } = useSearch({ from: "/signed-in/inbox" });
  const notices = useInfiniteQuery(noticesQuery(show === "unread"));
  const { data: counted } = useQuery(unreadCountQuery);
  const read = useReadNotices();
  const list = useRef<HTMLUListElement>(null);
  const all = notices.data?.pages.flatMap((page) => page.notices) ?? [];
  const toggle = ({ id, readAt }: Notice) => {
    const index = all.findIndex((notice) => notice.id === id);
    // If the read notification left the list, the next one is now at its index.
    const goOn = () => (list.current?.children[index] ?? list.current?.lastElementChild)?.querySelector("a")?.focus();
    read.mutate({ noticeIds: [id], read: readAt === null }, { onSuccess: () => keepFocus(goOn) });
  };
  useListKeys(list, {
    u: (index) => {
      const notice = all[index];
      if (notice) toggle(notice);
    },
  });
  const unread = counted?.unreadCount ?? 0;
  return (
    <main className="mx-auto max-w-3xl px-4 py-6 md:px-8">
      <PageHeading
        title="Notifications"
        hint={
          organisation.role === "member"
            ? "Mentions, cards assigned to you, activity on cards you follow, and new or reopened problems."
            : "Mentions, cards assigned to you, activity on cards you follow, new or reopened problems, and alerts for admins."
        }
      >
        <nav aria-label="Show" className="flex gap-1">
          <ShowLink label="All" />
          <ShowLink label={unread > 0 ? `Unread (${unread})` : "Unread"} show="unread" />
        </nav>
        <Button disabled={unread === 0} busy={read.isPending} onClick={() => read.mutate({})}>
          <CheckCheck aria-hidden className="size-4" />
          Mark all as read
        </Button>
      </PageHeading>
      {notices.isPending && <Skeleton className="h-40" />}
      {notices.isError && !notices.data && <LoadError error={notices.error} retry={() => void notices.refetch()} />}
      {notices.data && all.length === 0 && (
        <Empty title={show === "unread" ? "No unread notifications" : "No notifications yet"}>
          You are notified when somebody mentions you, assigns you a card, or comments on a card that you follow, and
          when a problem of an app is new or reopens.
        </Empty>
      )}
      {all.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul ref={list} role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {all.map((notice) => (
            <OneNotice key={notice.id} notice={notice} toggle={() => toggle(notice)} />
          ))}
        </ul>
      )}
      <MoreButton pages={notices} small look="quiet" className="mt-2">
        Show earlier notifications
      </MoreButton>
    </main>
  );
}

const ShowLink = ({ label, show }: { label: string; show?: "unread" }) => (
  <Link
    to="/inbox"
    search={show ? { show } : {}}
    activeOptions={{ exact: true }}
    className={`${buttonClass({ look: "quiet" })} aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink`}
  >
    {label}
  </Link>
);

const kinds = {
  mentioned: { icon: AtSign, says: "mentioned you" },
  assigned: { icon: UserRoundCheck, says: "assigned it to you" },
  commented: { icon: MessageSquare, says: "commented" },
  run_finished: { icon: Bot, says: "ended its run" },
  run_asked: { icon: Bot, says: "asks a question" },
  run_held: { icon: Bot, says: "is waiting to start" },
  subscriber_disabled: { icon: TriangleAlert, says: "disabled a subscriber" },
  delivery_dead: { icon: TriangleAlert, says: "could not deliver a report" },
  quota_warning: { icon: TriangleAlert, says: "warns about the install limit" },
  organisation_suspended: { icon: TriangleAlert, says: "refuses reports" },
  disk_low: { icon: TriangleAlert, says: "refuses reports" },
  problem_new: { icon: CircleAlert, says: "found a new problem" },
  problem_back: { icon: RotateCcw, says: "reopened a resolved problem" },
  problem_spike: { icon: TrendingUp, says: "received many reports of a problem" },
} as const satisfies Record<Notice["kind"], object>;

function OneNotice({ notice, toggle }: { notice: Notice; toggle: () => void }) {
  const { kind, ticket, appId, problemId, actor, text, createdAt, readAt } = notice;
  const title = shownTitle(ticket?.title ?? text ?? (kind.startsWith("problem_") ? "A problem" : ""));
  const target = ticket
    ? ({ to: "/tickets/$ticketId", params: { ticketId: ticket.id } } as const)
    : problemId
      ? ({ to: "/problems/$problemId", params: { problemId } } as const)
      : appId
        ? ({ to: "/reports/$appId", params: { appId } } as const)
        : ({ to: "/inbox" } as const);
  const { icon: Icon, says } = kinds[kind];
  const unread = readAt === null;
  return (
    <li className="relative flex gap-3 py-2.5 pr-2 pl-3 hover:bg-hover">
      <Icon aria-hidden className={`mt-0.5 size-4 shrink-0 ${unread ? "text-accent-ink" : "text-muted"}`} />
      <div className="min-w-0 flex-1">
        <Link
          {...target}
          onClick={ticket || !unread ? undefined : toggle}
          className={`line-clamp-2 wrap-anywhere outline-none after:absolute after:inset-0 focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent ${unread ? "font-semibold" : ""}`}
        >
          {unread && <span className="sr-only">Unread: </span>}
          {ticket?.number && <span className="font-normal text-muted tabular-nums">{ticket.number} </span>}
          <span dir="auto">{title}</span>
        </Link>
        <p className="text-sm text-muted wrap-anywhere">
          {actor} {says} · <Time at={createdAt} />
        </p>
        {ticket && text && (
          <p dir="auto" className="mt-0.5 line-clamp-2 text-sm wrap-anywhere">
            {text}
          </p>
        )}
      </div>
      <IconButton
        label={unread ? `Mark “${title}” as read` : `Mark “${title}” as unread`}
        onClick={toggle}
        className="relative"
      >
        {unread ? <MailOpen aria-hidden className="size-4" /> : <Mail aria-hidden className="size-4" />}
      </IconButton>
    </li>
  );
}
