import { answerThread, closeThread } from "@lodge/contract/calls.generated";
import { messageLengthMax } from "@lodge/contract/limits";
import type { PostMessage } from "@lodge/contract/replies";
import { useMutation, useQuery } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useState } from "react";
import { call } from "../api/call.ts";
import { fetchAfter } from "../api/client.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { controlClass } from "../ui/field.tsx";
import { Confirm } from "../ui/modal.tsx";
import { FormError, LoadError } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Time } from "../ui/time.tsx";
import { useDraft } from "../ui/use-draft.ts";
import { LongText } from "./long-text.tsx";
import { Part } from "./part.tsx";
import { threadQuery } from "./report-queries.ts";

/** The thread with the reporter of an event: read, answered and closed. */
export function Conversation({ threadId, eventId, appId }: { threadId: string; eventId: string; appId: string }) {
  const thread = useQuery(threadQuery(threadId));
  const [closing, setClosing] = useState(false);
  const reload = () => fetchAfter({ kind: "thread.changed", threadId, eventId, appId });
  return (
    <Part title="Conversation with the reporter">
      {thread.isPending && <Skeleton className="h-16" />}
      {thread.isError && !thread.data && <LoadError error={thread.error} retry={() => void thread.refetch()} />}
      <ol className="flex flex-col gap-4">
        {thread.data?.messages.map(({ number, author, authorName, text, createdAt }) => (
          <li key={number} className="flex gap-3">
            <Avatar name={authorName ?? "Reporter"} />
            <div className="min-w-0 flex-1">
              <p className="text-sm text-muted">
                <span className="text-ink">{author === "reporter" ? "The reporter" : authorName}</span>{" "}
                <Time at={createdAt} />
              </p>
              <LongText text={text} className="leading-6" />
            </div>
          </li>
        ))}
      </ol>
      {thread.data?.messages.length === 0 && <p className="text-muted">Nobody has written yet.</p>}
      {thread.data?.closed === true && (
        <p className="mt-3 text-sm text-muted">It is closed: nobody can write any more.</p>
      )}
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
          It can still be read, but neither side can write in it again.
        </Confirm>
      )}
    </Part>
  );
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
        aria-label="Answer the reporter"
        placeholder="Answer the reporter"
        rows={3}
        maxLength={messageLengthMax}
        value={text}
        onChange={(event) => keep(event.target.value || undefined)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) send();
        }}
        className={`${controlClass} py-2`}
      />
      <FormError error={answer.error} />
      <div className="flex items-center justify-between gap-2">
        {children}
        <Button small look="primary" type="submit" disabled={!text.trim()} busy={answer.isPending}>
          Answer
        </Button>
      </div>
    </form>
  );
}
