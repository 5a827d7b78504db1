import { listActivities, listComments, writeComment } from "@lodge/contract/calls.generated";
import type { Comment, WriteComment } from "@lodge/contract/dashboard/tickets";
import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { call } from "../api/call.ts";
import { commentsQuery } from "../api/queries.ts";
import { keyOf } from "../api/query.ts";
import { Avatar } from "../ui/avatar.tsx";
import { Button } from "../ui/button.tsx";
import { FormError, LoadError } from "../ui/notice.tsx";
import { Skeleton } from "../ui/skeleton.tsx";
import { Time } from "../ui/time.tsx";
import { useDraft } from "../ui/use-draft.ts";
import { Author } from "./author.tsx";
import { type CommentDraft, MentionField, mentionedIn } from "./mention-field.tsx";
import { PlainText } from "./plain-text.tsx";

/** What people said about a ticket, the oldest first, and a place to say something. */
export function Comments({ ticketId }: { ticketId: string }) {
  const comments = useInfiniteQuery(commentsQuery(ticketId));
  const all = comments.data?.pages.flatMap((page) => page.comments) ?? [];
  return (
    <section aria-labelledby="comments" className="px-2">
      <h2 id="comments" className="mb-3 text-sm font-semibold">
        Comments
      </h2>
      {comments.isPending && <Skeleton className="mb-3 h-12" />}
      {comments.isError && <LoadError error={comments.error} retry={() => void comments.refetch()} />}
      <ul className="flex flex-col gap-4">
        {all.map((comment) => (
          <OneComment key={comment.id} comment={comment} />
        ))}
      </ul>
      {comments.hasNextPage && (
        <Button
          small
          look="quiet"
          className="mt-2"
          busy={comments.isFetchingNextPage}
          onClick={() => void comments.fetchNextPage()}
        >
          Show later comments
        </Button>
      )}
      <Composer ticketId={ticketId} />
    </section>
  );
}

function OneComment({ comment }: { comment: Comment }) {
  return (
    <li className="flex gap-3">
      <Avatar name={comment.author.name} />
      <div className="min-w-0 flex-1">
        <p className="text-sm text-muted">
          <span className="text-ink">
            <Author author={comment.author} />
          </span>{" "}
          <Time at={comment.createdAt} />
        </p>
        <PlainText text={comment.text} mentions={comment.mentions.map(({ name }) => name)} />
      </div>
    </li>
  );
}

function Composer({ ticketId }: { ticketId: string }) {
  const [kept, keep] = useDraft<CommentDraft>(`tickets/${ticketId}/comment`);
  const queryClient = useQueryClient();
  const write = useMutation({
    mutationFn: (body: WriteComment) => call(writeComment, { params: { ticketId }, body }),
    onSuccess: async (_comment, { text }) => {
      keep((now) => (now?.text.trim() === text ? undefined : now));
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: keyOf(listComments, { params: { ticketId } }) }),
        queryClient.invalidateQueries({ queryKey: keyOf(listActivities, { params: { ticketId } }) }),
      ]);
    },
  });
  const draft = kept ?? { text: "", picked: [] };
  const send = () => {
    if (draft.text.trim() && !write.isPending) {
      write.mutate({ text: draft.text.trim(), mentionedUserIds: mentionedIn(draft) });
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  return (
    <form onSubmit={submit} className="mt-4 flex flex-col gap-2">
      <MentionField draft={draft} onChange={(next) => keep(next.text ? next : undefined)} send={send} />
      <FormError error={write.error} />
      <div className="flex items-center justify-between gap-2">
        <p className="text-xs text-muted">@ mentions a member</p>
        <Button small look="primary" type="submit" disabled={!draft.text.trim()} busy={write.isPending}>
          Comment
        </Button>
      </div>
    </form>
  );
}
