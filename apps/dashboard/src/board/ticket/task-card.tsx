import { makeTaskCard } from "@lodge/contract/calls.generated";
import { useMutation } from "@tanstack/react-query";
import { SquarePlus } from "lucide-react";
import { call, isRefused } from "../../api/call.ts";
import { queryClient } from "../../api/client.ts";
import { commentsQuery, ticketQuery } from "../../api/queries.ts";
import { tellDone, tellFailed } from "../../ui/toasts.tsx";
import { cardNumber } from "./card-number.ts";
import { relationsQuery } from "./card-states.ts";

/** The text that contains a task: a card's description, or the person's own comment on it. */
export type TaskSource = { ticketId: string; commentId?: string };

/** Whether a task is a card already, so that its text is only a card number. */
const isCard = (task: string) => cardNumber.exec(task)?.[0] === task;

/** A button next to a task that files it as a card and replaces the task's text with the card's number. */
export function TaskCard({ source, line, task }: { source: TaskSource; line: number; task: string }) {
  const { ticketId } = source;
  const file = useMutation({
    mutationFn: () => call(makeTaskCard, { params: { ticketId }, body: { line, task, ...withComment(source) } }),
    onSuccess: ({ number }) => tellDone(`${number ?? "The card"} is on the board`),
    onError: (error) =>
      isRefused(error, "text_changed")
        ? tellFailed("The text has changed. Create the card again")
        : tellFailed("Could not create a card from the task", error),
    onSettled: () =>
      Promise.all(
        [relationsQuery(ticketId), ticketQuery(ticketId), commentsQuery(ticketId)].map(({ queryKey }) =>
          queryClient.invalidateQueries({ queryKey }),
        ),
      ),
  });
  if (isCard(task)) return null;
  return (
    <button
      type="button"
      aria-label={`Create a card from “${task}”`}
      title="Create a card from this task"
      disabled={file.isPending}
      onClick={() => file.mutate()}
      className="ml-1 inline-flex size-6 items-center justify-center rounded-md align-middle text-muted opacity-0 group-hover/task:opacity-100 hover:bg-hover hover:text-ink focus-visible:opacity-100 disabled:opacity-50 pointer-coarse:opacity-100"
    >
      <SquarePlus aria-hidden className="size-4" />
    </button>
  );
}

const withComment = ({ commentId }: TaskSource) => (commentId === undefined ? {} : { commentId });
