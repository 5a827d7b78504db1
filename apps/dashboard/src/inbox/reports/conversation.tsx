import { answerThread, closeThread, markThreadRead } from "@lodge/contract/calls.generated";
import { messageLengthMax } from "@lodge/contract/limits";
import type { Message, PostMessage } from "@lodge/contract/replies";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { Check } from "lucide-react";
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { fetchAfter } from "../../api/client.ts";
import { useDraft } from "../../session/use-draft.ts";
import { useSession } from "../../session/use-session.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button } from "../../ui/button.tsx";
import { controlClass } from "../../ui/field.tsx";
import { LongText } from "../../ui/long-text.tsx";
import { Confirm } from "../../ui/modal.tsx";
import { FormError, LoadError } from "../../ui/notice.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { Time } from "../../ui/time.tsx";
import { whenSeen } from "../../ui/when-seen.ts";
import { threadQuery, threadSummaryQuery } from "./report-queries.ts";

/** The URL hash that focuses the reply field of a conversation. */
export const answerHash = "answer";

/** The conversation of a reporter with the team, with a reply field. Messages count as read once they are visible. */
export function Conversation({ threadId, eventId, appId }: { threadId: string; eventId: string; appId: string }) {
  const { user } = useSession();
  const thread = useQuery(threadQuery(threadId));
  const { data: summary } = useQuery(threadSummaryQuery(threadId));
  const [closing, setClosing] = useState(false);
  const reload = () => fetchAfter({ kind: "thread.changed", threadId, eventId, appId });
  const messages = thread.data?.messages ?? [];
  const lastNumber = messages.at(-1)?.number ?? 0;
  const unreadCount = summary?.messageCount === lastNumber ? summary.unreadCount : 0;
  const end = useSeen(unreadCount > 0, () => {
    void call(markThreadRead, { params: { threadId }, body: { number: lastNumber } }).then(
      () => fetchAfter({ kind: "thread.read", threadId, userId: user.id }),
      () => {}, // stays unread, as on the server
    );
  });
  const arrived = messages.findLast(
    ({ author, number }) => author === "team" && number <= (summary?.reporterReadNumber ?? 0),
  );
  return (
    <>
      {thread.isPending && <Skeleton className="h-16" />}
      {thread.isError && !thread.data && <LoadError error={thread.error} retry={() => void thread.refetch()} />}
      <ol className="flex flex-col gap-4">
        {messages.map((message) => (
          <li key={message.number}>
            <Said
              by={message.author === "reporter" ? null : (message.authorName ?? "")}
              at={message.createdAt}
              text={message.text}
              hasArrived={message === arrived}
            />
          </li>
        ))}
      </ol>
      <div ref={end} />
      {thread.data?.messages.length === 0 && <p className="text-muted">No messages yet.</p>}
      {thread.data?.closed === true && <p className="mt-3 text-sm text-muted">This conversation is closed.</p>}
      {thread.data?.closed === false && (
        <Answer threadId={threadId} answered={reload}>
          <Button small look="quiet" onClick={() => setClosing(true)}>
            Close the conversation
          </Button>
        </Answer>
      )}
      {closing && (
        <Confirm
          title="Close the conversation?"
          confirm="Close it"
          act={async () => {
            await call(closeThread, { params: { threadId } });
            await reload();
          }}
          close={() => setClosing(false)}
        >
          You and the reporter can still read the conversation, but nobody can reply any more.
        </Confirm>
      )}
    </>
  );
}

/** A message of a member, or of the reporter if `by` is null. */
export function Said({
  by,
  at,
  text,
  hasArrived = false,
}: {
  by: Message["authorName"];
  at: string;
  text: string;
  hasArrived?: boolean;
}) {
  return (
    <div className="flex gap-3">
      <Avatar name={by ?? "Reporter"} />
      <div className="min-w-0 flex-1">
        <p className="text-sm text-muted">
          <span className="text-ink">{by ?? "The reporter"}</span> <Time at={at} />
        </p>
        <LongText text={text} className="leading-6" />
        {hasArrived && (
          <p className="mt-0.5 flex items-center gap-1 text-xs text-muted">
            <Check aria-hidden className="size-3.5" />
            Seen by the reporter
          </p>
        )}
      </div>
    </div>
  );
}

/** Calls `seen` when the element comes into view while `isNew`. */
function useSeen(isNew: boolean, seen: () => void) {
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(seen);
  useEffect(() => {
    latest.current = seen;
  });
  useEffect(() => {
    if (!isNew || !element.current) return;
    return whenSeen(element.current, () => latest.current());
  }, [isNew]);
  return element;
}

function Answer({
  threadId,
  answered,
  children,
}: {
  threadId: string;
  answered: () => Promise<unknown>;
  children: ReactNode;
}) {
  const [kept, keep] = useDraft<string>(`threads/${threadId}/answer`);
  const [messageId, setMessageId] = useState(() => crypto.randomUUID());
  const field = useRef<HTMLTextAreaElement>(null);
  const { hash } = useLocation();
  useEffect(() => {
    if (hash === answerHash) field.current?.focus();
  }, [hash]);
  const answer = useMutation({
    mutationFn: (body: PostMessage) => call(answerThread, { params: { threadId }, body }),
    onSuccess: async (_message, { text }) => {
      setMessageId(crypto.randomUUID());
      keep((now) => (now?.trim() === text ? undefined : now));
      await answered();
    },
  });
  const text = kept ?? "";
  const send = () => {
    if (text.trim() && !answer.isPending) answer.mutate({ text: text.trim(), messageId });
  };
  return (
    <form
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        send();
      }}
      className="mt-4 flex flex-col gap-2"
    >
      <textarea
        ref={field}
        id={answerHash}
        aria-label="Reply to the reporter"
        placeholder="Reply to the reporter"
        rows={3}
        maxLength={messageLengthMax}
        value={text}
        onChange={(event) => keep(event.target.value || undefined)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) send();
          if (event.key === "Escape") field.current?.blur();
        }}
        className={`${controlClass} py-2`}
      />
      <FormError error={answer.error} />
      <div className="flex items-center justify-between gap-2">
        {children}
        <Button small look="primary" type="submit" disabled={!text.trim()} busy={answer.isPending}>
          Reply
        </Button>
      </div>
    </form>
  );
}
