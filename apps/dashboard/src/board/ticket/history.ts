import type { Activity } from "@lodge/contract/dashboard/tickets";
import { formatDay } from "../../ui/time.tsx";
import type { Priority } from "../palette.ts";
import { runInWords } from "../runs/run-words.ts";
import { priorityLabels } from "./priority.tsx";

/** What somebody did with a ticket, in words that follow the name. */
export function activityInWords(activity: Activity): string {
  switch (activity.kind) {
    case "ticket.filed":
      return "filed the ticket";
    case "ticket.commented":
      return "commented";
    case "ticket.moved":
      return `moved it from ${activity.from} to ${activity.to}`;
    case "ticket.archived":
      return "archived it";
    case "ticket.restored":
      return "brought it back from the archive";
    case "ticket.occurred":
      return `told of it again: ${activity.occurrence} times by now`;
    case "ticket.resolved":
      return activity.to === undefined ? "said that it is over" : `said that it is over: it went to ${activity.to}`;
    case "run.changed":
      return runInHistory(activity);
    case "ticket.changed":
      return (activity.changes ?? []).map(changeInWords).join(", ");
    default:
      return activity.kind satisfies never;
  }
}

function runInHistory({ runState = "queued", runReason }: Activity): string {
  const why = runInWords({ state: runState, reason: runReason ?? null });
  switch (runState) {
    case "queued":
      return "put the agent's run in the queue";
    case "held":
      return `had the agent's run held. ${why}`;
    case "running":
      return "started on it";
    case "awaiting_input":
      return "asked something";
    case "succeeded":
      return "came back with a change";
    case "no_change":
      return "found nothing to change";
    case "failed":
      return `did not succeed. ${why}`;
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
      return to === null ? `took it from ${from}` : `assigned it to ${to}`;
    case "agentRepository":
      return to === null ? "took the repository off" : `set the repository to ${to}`;
    case "startsAt":
      return to === null ? "took the start off" : `set the start to ${formatDay(to)}`;
    case "labels":
      return to === null ? "took the labels off" : `set the labels to ${to}`;
    case "dueAt":
      return to === null ? "took the due day off" : `set the due day to ${formatDay(to)}`;
    default:
      return field satisfies never;
  }
}
