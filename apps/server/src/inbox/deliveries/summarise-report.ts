import type { Envelope } from "@lodge/contract/envelope";
import type { Deps } from "../../platform/deps.ts";
import type { OutgoingProblem } from "../problems/problem-of-event.ts";
import { parseEnvelope, readable, shorten, titleOf } from "../problems/readable.ts";
import type { OutgoingDelivery } from "./take-deliveries.ts";

const titleLengthMax = 200;
const factLengthMax = 80;

/**
 * A report as people read it: its title or the nearest thing to one, its message, and its URL. A report without any
 * text is untitled, and its kind is the title.
 */
export type Summary = {
  title: string;
  isUntitled: boolean;
  message: string;
  url: string;
  /**
   * The app, and if they are known its version and environment, the problem's counts, and whether it is new or
   * reopened.
   */
  facts: string[];
  /** The URL of the problem; null if there is none. */
  problemUrl: string | null;
};

/**
 * Reads a report's title and message from its envelope, replacing characters that a database or screen cannot show. If
 * the delivery is of a reporter's answer, that is the message.
 */
export function summariseReport({ urls }: Deps, delivery: OutgoingDelivery): Summary {
  const { envelope, eventId, reply, replayId, kind, problem } = delivery;
  const report: Partial<Envelope> = envelope ? parseEnvelope(envelope) : {};
  const { title, isUntitled } = titleOf(report);
  const isReplay = replayId !== null && kind !== "board"; // a card is not a message
  return {
    title: shorten(`${isReplay ? "Replayed: " : ""}${reply ? "The reporter answered: " : ""}${title}`, titleLengthMax),
    isUntitled,
    message: reply?.text ?? readable(report.message ?? ""),
    url: `${urls.base}/events/${eventId}`,
    facts: factsOf(delivery.appName, report, problem),
    problemUrl: problem?.url ?? null,
  };
}

function factsOf(appName: string, { app }: Partial<Envelope>, problem: OutgoingProblem | null): string[] {
  const facts = [app?.version ?? app?.release, app?.environment].map(
    (fact) => fact && shorten(readable(fact), factLengthMax),
  );
  return [appName, ...facts, ...(problem ? [countsOf(problem), newsOf(problem)] : [])].filter(
    (fact) => !!fact,
  ) as string[];
}

function countsOf({ events, users, isUserCountExact }: OutgoingProblem): string {
  const reports = `${events} ${events === 1 ? "report" : "reports"}`;
  return users === 0
    ? reports
    : `${reports} from ${isUserCountExact ? "" : "~"}${users} ${users === 1 ? "user" : "users"}`;
}

const newsOf = ({ isNew, isBack }: OutgoingProblem) => (isNew ? "new problem" : isBack ? "reopened" : "");
