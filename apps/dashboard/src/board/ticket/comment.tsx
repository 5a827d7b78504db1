import { changeComment, deleteComment, listComments } from "@lodge/contract/calls.generated";
import type { Comment, WriteComment } from "@lodge/contract/dashboard/tickets";
import { commentLengthMax } from "@lodge/contract/limits";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Ellipsis, Pencil, Trash2 } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { call } from "../../api/call.ts";
import { commentsQuery } from "../../api/queries.ts";
import { keyOf } from "../../api/query.ts";
import { useDraft } from "../../session/use-draft.ts";
import { useSession } from "../../session/use-session.ts";
import { Avatar } from "../../ui/avatar.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { keepFocus, keepFocusAt } from "../../ui/keep-focus.ts";
import { tooLong } from "../../ui/length.ts";
import { DropMenu, MenuItem } from "../../ui/menu.tsx";
import { Confirm } from "../../ui/modal.tsx";
import { FormError } from "../../ui/notice.tsx";
import { ExactTime, Time } from "../../ui/time.tsx";
import { tellFailed } from "../../ui/toasts.tsx";
import { UnsavedNotice } from "../../ui/unsaved-notice.tsx";
import type { CommentDraft } from "../send-later.ts";
import { AddImage, ImagesState } from "./add-image.tsx";
import { Author } from "./author.tsx";
import { MentionField, mentionedIn } from "./mention-field.tsx";
import { RichText } from "./rich-text.tsx";
import { withTask } from "./tasks.ts";
import { useImages } from "./use-images.ts";

/** A comment on a ticket. Its author can edit it; its author, owners and admins can delete it. */
export function OneComment({ ticketId, comment }: { ticketId: string; comment: Comment }) {
  const { user, organisation } = useSession();
  const [draft, keep] = useDraft<CommentDraft>(`tickets/${ticketId}/comments/${comment.id}`);
  const [editing, setEditing] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const queryClient = useQueryClient();
  const refetch = () => queryClient.invalidateQueries({ queryKey: keyOf(listComments, { params: { ticketId } }) });
  const actions = useRef<HTMLButtonElement>(null);
  const isOwn = comment.author.id === user.id;
  const tick = useTick(ticketId, comment);
  const leave = () => {
    setEditing(false);
    if (draft?.text === comment.text) keep(undefined);
    keepFocus(() => actions.current?.focus());
  };
  const discard = () => {
    keep(undefined);
    leave();
  };
  const remove = async () => {
    await call(deleteComment, { params: { ticketId, commentId: comment.id } });
    keep(undefined);
    await refetch();
    keepFocusAt(".card-panel");
  };
  return (
    <li id={`comment-${comment.id}`} className="flex scroll-my-4 gap-2.5 rounded-lg">
      <Avatar name={comment.author.name} />
      <div className="relative min-w-0 flex-1 rounded-lg border border-line px-3 pt-1.5 pb-2.5">
        <p className="mb-1 pr-7 text-sm text-muted">
          <span className="text-ink">
            <Author author={comment.author} />
          </span>{" "}
          <Time at={comment.createdAt} />
          {comment.editedAt && (
            <>
              , edited <ExactTime at={comment.editedAt} />
            </>
          )}
        </p>
        {editing ? (
          <Editor
            ticketId={ticketId}
            commentId={comment.id}
            draft={draft ?? { text: comment.text, picked: comment.mentions }}
            keep={keep}
            leave={leave}
            discard={discard}
            refetch={refetch}
          />
        ) : (
          <>
            <RichText
              text={comment.text}
              mentions={comment.mentions.map(({ name }) => name)}
              tick={isOwn && !draft ? tick : undefined}
              source={{ ticketId, commentId: comment.id }}
            />
            {draft && isOwn && (
              <UnsavedNotice
                what="comment"
                says="Your changes to this comment are not saved."
                saveLabel="Keep editing"
                save={() => setEditing(true)}
                discard={discard}
              />
            )}
          </>
        )}
        {!editing && (isOwn || organisation.role !== "member") && (
          <div className="absolute top-0.5 right-0.5">
            <DropMenu
              trigger={
                <IconButton
                  ref={actions}
                  label={isOwn ? "Actions for your comment" : `Actions for the comment by ${comment.author.name}`}
                  className="size-7"
                >
                  <Ellipsis aria-hidden className="size-4" />
                </IconButton>
              }
            >
              {isOwn && (
                <MenuItem onClick={() => setEditing(true)}>
                  <Pencil aria-hidden className="size-4" />
                  Edit
                </MenuItem>
              )}
              <MenuItem danger onClick={() => setDeleting(true)}>
                <Trash2 aria-hidden className="size-4" />
                Delete
              </MenuItem>
            </DropMenu>
          </div>
        )}
      </div>
      {deleting && (
        <Confirm
          title={isOwn ? "Delete your comment?" : `Delete the comment by ${comment.author.name}?`}
          confirm="Delete the comment"
          act={remove}
          close={() => setDeleting(false)}
        >
          It is deleted for everyone. This cannot be undone.
        </Confirm>
      )}
    </li>
  );
}

/** Ticks tasks in the person's own comment. The change shows immediately. */
function useTick(ticketId: string, { id, text, mentions }: Comment) {
  const queryClient = useQueryClient();
  const { queryKey } = commentsQuery(ticketId);
  const { mutate } = useMutation({
    scope: { id },
    mutationFn: (changed: string) =>
      call(changeComment, {
        params: { ticketId, commentId: id },
        body: { text: changed, mentionedUserIds: mentions.map((person) => person.id) },
      }),
    onMutate: async (changed) => {
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, (data) => {
        const pages = data?.pages.map((page) => ({
          ...page,
          comments: page.comments.map((each) => (each.id === id ? { ...each, text: changed } : each)),
        }));
        return data && pages && { ...data, pages };
      });
    },
    onError: (error) => tellFailed("Could not save the task", error),
    onSettled: () => queryClient.invalidateQueries({ queryKey }),
  });
  return (line: number, done: boolean) => mutate(withTask(text, line, done));
}

function Editor({
  ticketId,
  commentId,
  draft,
  keep,
  leave,
  discard,
  refetch,
}: {
  ticketId: string;
  commentId: string;
  draft: CommentDraft;
  keep: (next: CommentDraft | ((now: CommentDraft | undefined) => CommentDraft | undefined)) => void;
  leave: () => void;
  discard: () => void;
  refetch: () => Promise<void>;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // After the menu has returned the focus.
    const frame = requestAnimationFrame(() => field.current?.focus());
    return () => cancelAnimationFrame(frame);
  }, []);
  const images = useImages(ticketId, field, (text) => keep((now = draft) => ({ ...now, text })));
  const change = useMutation({
    mutationFn: (body: WriteComment) => call(changeComment, { params: { ticketId, commentId }, body }),
    onSuccess: async (_comment, { text }) => {
      await refetch();
      const isAll = field.current?.value.trim() === text; // unchanged since, and still being edited
      keep((now) => (now?.text.trim() === text ? undefined : now));
      if (isAll) leave();
    },
  });
  const text = draft.text.trim();
  const problem = tooLong(text, commentLengthMax);
  const send = () => {
    if (text && !problem && !change.isPending) change.mutate({ text, mentionedUserIds: mentionedIn(draft) });
  };
  return (
    <div className="flex flex-col gap-2">
      <MentionField
        field={field}
        aria-label="Edit your comment"
        {...images.handlers}
        draft={draft}
        onChange={keep}
        send={send}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation(); // it must not close the card as well
          leave();
        }}
      />
      <FormError error={change.error} />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <AddImage images={images} />
        <ImagesState images={images} />
        {problem && (
          <p role="status" className="mr-auto text-xs text-danger-ink">
            {problem}
          </p>
        )}
        <Button small look="quiet" onClick={discard}>
          Discard
        </Button>
        <Button small look="primary" disabled={!text || problem !== undefined} busy={change.isPending} onClick={send}>
          Save
        </Button>
      </div>
    </div>
  );
}
