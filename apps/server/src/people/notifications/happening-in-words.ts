/** An alert or news for an organisation. */
export type Happening = {
  organisationId: string;
  id: string;
  kind:
    | "subscriber.disabled"
    | "delivery.dead"
    | "quota.warning"
    | "organisation.suspended"
    | "disk.low"
    | "run.held"
    | "run.asked"
    | "run.finished"
    | "problem.new"
    | "problem.back"
    | "problem.spike";
  details: Partial<
    Record<
      | "appId"
      | "app"
      | "receiver"
      | "reason"
      | "month"
      | "since"
      | "runId"
      | "ticketId"
      | "state"
      | "question"
      | "summary"
      | "pullRequestUrl"
      | "requestedByUserId"
      | "eventId"
      | "version"
      | "environment",
      string
    >
  > & {
    /** The problem that is new, came back or spikes; its title is null if it was erased. */
    problem?: { id: string; title: string | null; isNew: boolean; isBack: boolean; events: number; users: number };
    spike?: { events: number; minutes: number };
  } & Partial<Record<"percent" | "installs" | "limit", number>>;
  createdAt: Date;
  agentName: string;
};

const textLengthMax = 300;

const held: Record<string, string> = {
  no_credits: "The organisation has no credits left.",
  no_repository: "Choose a repository for it to work on.",
  untrusted_input: "The card contains text from a report by an unknown sender. An admin can start the run.",
  run_limit: "It has tried this card many times. An admin can start it again.",
  token_budget: "The token that filed this card has reached its daily limit of runs.",
};

/** The text of an alert or news, in a sentence or two. */
export function happeningInWords({ kind, details }: Pick<Happening, "kind" | "details">): string {
  const { app, receiver, reason = "", month, since, percent, installs, limit, state, question, summary } = details;
  switch (kind) {
    case "subscriber.disabled":
      return `The subscriber ${receiver} of ${app} was disabled. ${reason}`;
    case "delivery.dead":
      return `A delivery to the subscriber ${receiver} of ${app} failed permanently. ${reason}`;
    case "quota.warning":
      return `${installs} of ${limit} installs were active in ${month}, ${percent} % of the limit.`;
    case "organisation.suspended":
      return `Reports have been refused since ${since}: the organisation was over its install limit in three months in a row.`;
    case "disk.low":
      return "The server's disk is nearly full: reports are refused until its operator frees space.";
    case "run.held":
      return held[reason] ?? "The run is waiting.";
    case "run.asked":
      return (question ?? "").slice(0, textLengthMax);
    case "run.finished":
      if (state === "failed") return `It failed: ${reason.replaceAll("_", " ")}.`;
      if (state === "no_change") return "It found nothing to change.";
      return (summary ?? "It finished with a change.").slice(0, textLengthMax);
    case "problem.new":
      if (!details.problem) return `There are many more new problems in ${app}. See its inbox.`;
      return `New in ${app}: ${problemInWords(details)}`;
    case "problem.back":
      return `Reopened in ${app}: ${problemInWords(details)}`;
    case "problem.spike":
      return `More than ${details.spike?.events} reports in ${details.spike?.minutes} min in ${app}: ${problemInWords(details)}`;
    default:
      return kind satisfies never;
  }
}

function problemInWords({ problem, version, environment }: Happening["details"]): string {
  const seen = [version, environment].filter(Boolean).join(", ");
  return `${problem?.title ?? "a problem"}${seen === "" ? "" : ` (${seen})`}`.slice(0, textLengthMax);
}
