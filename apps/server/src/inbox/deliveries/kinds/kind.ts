import type { Dispatcher } from "undici";
import type { Deps } from "../../../platform/deps.ts";
import type { Mailer } from "../../../platform/outbound/open-mailer.ts";
import type { Outcome } from "../../../platform/outbound/send-message.ts";
import type { ToldProblem } from "../../problems/problem-of-event.ts";
import type { ToldDelivery } from "../take-deliveries.ts";

/** The message for a subscriber: JSON as `body`, with headers beside those that every message has. */
type Message = { url: string; headers: Record<string, string>; body: Buffer };

/** A kind that tells its subscriber by a message, which is sent under the rules of fan-out. */
export type PostingKind = (deps: Deps, delivery: ToldDelivery) => Message;

/**
 * The connections of an attempt: those under the rules of fan-out, the SMTP server of the settings, and what finds the
 * problem of an event.
 */
export type Outbound = {
  agent: Dispatcher;
  mailer: Mailer;
  findProblem: (event: { appId: string; eventId: string; receivedAt: Date }) => Promise<ToldProblem | null>;
};

/** A kind that does something else: it makes one attempt at a delivery, and tells what came of it. */
export type ActingKind = (deps: Deps, delivery: ToldDelivery, outbound: Outbound) => Promise<Outcome>;
