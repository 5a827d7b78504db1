import { listActivities, listComments, writeComment } from "@lodge/contract/calls.generated";
import type { WriteComment } from "@lodge/contract/dashboard/tickets";
import { commentLengthMax } from "@lodge/contract/limits";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef } from "react";
import { call } from "../../api/call.ts";
import { keyOf } from "../../api/query.ts";
import { useDraft } from "../../session/use-draft.ts";
import { Button } from "../../ui/button.tsx";
import { tooLong } from "../../ui/length.ts";
import { FormError } from "../../ui/notice.tsx";
import { AddImage, ImagesState } from "./add-image.tsx";
import { type CommentDraft, MentionField, mentionedIn } from "./mention-field.tsx";
import { useImages } from "./use-images.ts";

const empty: CommentDraft = { text: "", picked: [] };

/** How many frames a comment is looked for: one whose card was left never comes. */
const framesMax = 300;

/** Scrolls to a comment that was just written, as soon as it is on the page, and marks it for a moment. */
function showComment(id: string, framesLeft = framesMax) {
  const comment = document.getElementById(`comment-${id}`);
  if (!comment) {
    if (framesLeft > 0) requestAnimationFrame(() => showComment(id, framesLeft - 1));
    return;
  }
  comment.scrollIntoView({ block: "nearest" });
  comment.animate([{ backgroundColor: "var(--accent-soft)" }, {}], { duration: 2_000 });
}

/** A place to say something about a ticket. What is on its way stays kept until it is saved. */
export function Composer({ ticketId }: { ticketId: string }) {
  const [kept, keep] = useDraft<CommentDraft>(`tickets/${ticketId}/comment`);
  const field = useRef<HTMLTextAreaElement>(null);
  const queryClient = useQueryClient();
  const write = useMutation({
    mutationFn: (body: WriteComment) => call(writeComment, { params: { ticketId }, body }),
    onSuccess: async ({ id }, { text }) => {
      keep((now) => (now?.text.trim() === text ? undefined : now));
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: keyOf(listComments, { params: { ticketId } }) }),
        queryClient.invalidateQueries({ queryKey: keyOf(listActivities, { params: { ticketId } }) }),
      ]);
      showComment(id);
    },
  });
  const draft = kept ?? empty;
  const images = useImages(ticketId, field, (text) => keep((now = empty) => ({ ...now, text })));
  const text = draft.text.trim();
  const problem = tooLong(text, commentLengthMax);
  const send = () => {
    if (text && !problem && !write.isPending) write.mutate({ text, mentionedUserIds: mentionedIn(draft) });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send();
  };
  return (
    <form onSubmit={submit} className="flex shrink-0 flex-col gap-2 border-t border-line bg-surface px-4 py-3 md:px-6">
      <FormError error={write.error} />
      <div className="flex items-end gap-2">
        <MentionField
          field={field}
          id="ticket-comment"
          aria-label="Write a comment"
          placeholder="Comment, or @ a member"
          {...images.handlers}
          draft={draft}
          onChange={(next) => keep(next.text ? next : undefined)}
          send={send}
        />
        <AddImage images={images} />
        <Button
          look="primary"
          type="submit"
          className="h-9"
          disabled={!text || problem !== undefined}
          busy={write.isPending}
        >
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
