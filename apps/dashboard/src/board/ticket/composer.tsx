import { commentLengthMax } from "@lodge/contract/limits";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef } from "react";
import { commentsQuery } from "../../api/queries.ts";
import { useDraft } from "../../session/use-draft.ts";
import { useSession } from "../../session/use-session.ts";
import { randomKey, waitingKey } from "../../session/waiting.ts";
import { bottomBar } from "../../ui/bottom-bar.ts";
import { Button } from "../../ui/button.tsx";
import { tooLong } from "../../ui/length.ts";
import { type CommentDraft, commentDraft, type NewComment } from "../send-later.ts";
import { AddImage, ImagesState } from "./add-image.tsx";
import { MentionField, mentionedIn } from "./mention-field.tsx";
import { useImages } from "./use-images.ts";

const empty: CommentDraft = { text: "", picked: [] };

/** The form for a new comment. Comments being saved show in the activity. */
export function Composer({ ticketId }: { ticketId: string }) {
  const userId = useSession().user.id;
  const [kept, keep] = useDraft<CommentDraft>(commentDraft(ticketId));
  const field = useRef<HTMLTextAreaElement>(null);
  const queryClient = useQueryClient();
  const { mutate } = useMutation<unknown, Error, NewComment>({ mutationKey: waitingKey("comment") });
  const draft = kept ?? empty;
  const images = useImages(ticketId, field, (text) => keep((now = empty) => ({ ...now, text })));
  const text = draft.text.trim();
  const problem = tooLong(text, commentLengthMax);
  const send = () => {
    if (!text || problem) return;
    const { pages = [] } = queryClient.getQueryData(commentsQuery(ticketId).queryKey) ?? {};
    const before = pages.flatMap(({ comments }) => comments.filter((comment) => comment.text === text));
    mutate({
      key: randomKey(),
      userId,
      ticketId,
      text,
      picked: draft.picked,
      mentionedUserIds: mentionedIn(draft),
      before: before.map(({ id }) => id),
    });
    keep(undefined);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  return (
    <form
      ref={bottomBar}
      onSubmit={submit}
      className="flex shrink-0 flex-col gap-2 border-t border-line bg-surface px-4 py-3 md:px-6"
    >
      <div className="flex items-end gap-2">
        <MentionField
          field={field}
          id="ticket-comment"
          aria-label="Write a comment"
          placeholder="Comment, or type @ to mention a member"
          {...images.handlers}
          draft={draft}
          onChange={(next) => keep(next.text ? next : undefined)}
          send={send}
        />
        <AddImage images={images} />
        <Button look="primary" type="submit" className="h-9" disabled={!text || problem !== undefined}>
          Comment
        </Button>
      </div>
      <ImagesState images={images} />
      {problem && (
        <p role="status" className="text-xs text-danger-ink">
          {problem}
        </p>
      )}
    </form>
  );
}
