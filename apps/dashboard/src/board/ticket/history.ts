import type { Activity } from "@lodge/contract/dashboard/tickets";
import { formatDay } from "../../ui/time.tsx";
import type { Priority } from "../palette.ts";
import { runInWords } from "../runs/run-words.ts";
import { priorityLabels } from "./priority.tsx";

/** A history entry of a ticket as text that follows the name of the person. */
export function activityInWords(activity: Activity): string {
  switch (activity.kind) {
    case "ticket.filed":
      return activity.filename === undefined ? "filed the card" : `imported the card from ${activity.filename}`;
    case "ticket.commented":
      return "commented";
    case "ticket.attached":
      return `attached ${activity.filename ?? "a file"}`;
    case "ticket.detached":
      return `deleted the attachment${activity.filename === undefined ? "" : ` ${activity.filename}`}`;
    case "ticket.related":
      return relationInHistory(activity);
    case "ticket.unrelated":
      return `removed the relation to ${activity.otherNumber ?? "another card"}`;
    case "ticket.moved":
      return `moved it from ${activity.from} to ${activity.to}`;
    case "ticket.archived":
      return "archived it";
    case "ticket.restored":
      return "restored it from the archive";
    case "ticket.deleted":
      return "deleted it";
    case "ticket.undeleted":
      return "restored it from the trash";
    case "ticket.occurred":
      return `reported it again: ${activity.occurrence} times so far`;
    case "ticket.resolved":
      return activity.to === undefined
        ? "reported it as resolved"
        : `reported it as resolved, which moved it to ${activity.to}`;
    case "run.changed":
      return runInHistory(activity);
    case "ticket.changed":
      return (activity.changes ?? []).map(changeInWords).join(", ");
    default:
      return activity.kind satisfies never;
  }
}

function relationInHistory({ relation = "relatesTo", otherNumber = "another card", movedComments }: Activity): string {
  const comments = `${movedComments} ${movedComments === 1 ? "comment" : "comments"}`;
  switch (relation) {
    case "duplicateOf":
      return `marked it as a duplicate of ${otherNumber}${movedComments ? `, which moved ${comments} there` : ""}`;
    case "hasDuplicate":
      return `marked ${otherNumber} as a duplicate of it${movedComments ? `, which moved ${comments} here` : ""}`;
    case "blocks":
      return `marked it as blocking ${otherNumber}`;
    case "blockedBy":
      return `marked it as blocked by ${otherNumber}`;
    case "relatesTo":
      return `related it to ${otherNumber}`;
    default:
      return relation satisfies never;
  }
}

function runInHistory({ runState = "queued", runReason }: Activity): string {
  const why = runInWords({ state: runState, reason: runReason ?? null });
  switch (runState) {
    case "queued":
      return "queued a run of the agent";
    case "held":
      return `held the agent's run. ${why}`;
    case "running":
      return "started working on it";
    case "awaiting_input":
      return "asked a question";
    case "succeeded":
      return "finished with a change";
    case "no_change":
      return "found nothing to change";
    case "failed":
      return `failed. ${why}`;
    case "cancelled":
      return "cancelled the agent's run";
    default:
      return runState satisfies never;
  }
}

type Change = NonNullable<Activity["changes"]>[number];

function changeInWords({ field, from, to }: Change): string {
  switch (field) {
    case "title":
      return `changed the title from “${from}” to “${to}”`;
    case "description":
      return "changed the description";
    case "priority":
      return `set the priority to ${priorityLabels[to as Priority].toLowerCase()}`;
    case "assignee":
      return to === null ? `unassigned ${from}` : `assigned it to ${to}`;
    case "agentRepository":
      return to === null ? "removed the repository" : `set the repository to ${to}`;
    case "startsAt":
      return to === null ? "removed the start date" : `set the start date to ${formatDay(to)}`;
    case "labels":
      return to === null ? "removed the labels" : `set the labels to ${to}`;
    case "dueAt":
      return to === null ? "removed the due date" : `set the due date to ${formatDay(to)}`;
    default:
      return field satisfies never;
  }
}
