import type { Dispatcher } from "undici";
import type { Deps } from "../../../platform/deps.ts";
import type { Mailer } from "../../../platform/outbound/open-mailer.ts";
import type { Outcome } from "../../../platform/outbound/send-message.ts";
import type { OutgoingProblem } from "../../problems/problem-of-event.ts";
import type { OutgoingDelivery } from "../take-deliveries.ts";

/** A JSON message for a subscriber, with headers in addition to those of every message. */
type Message = { url: string; headers: Record<string, string>; body: Buffer };

/** A kind that posts a message, which is sent under the network rules for webhooks. */
export type PostingKind = (deps: Deps, delivery: OutgoingDelivery) => Message;

/**
 * The tools of an attempt: an HTTP agent with the network rules for webhooks, the SMTP server of the settings, and a
 * lookup of an event's problem.
 */
export type Outbound = {
  agent: Dispatcher;
  mailer: Mailer;
  findProblem: (event: { appId: string; eventId: string; receivedAt: Date }) => Promise<OutgoingProblem | null>;
};

/** A kind that makes the attempt itself and returns its outcome. */
export type ActingKind = (deps: Deps, delivery: OutgoingDelivery, outbound: Outbound) => Promise<Outcome>;
