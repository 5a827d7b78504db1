import type { Dispatcher } from "undici";
import type { Deps } from "../../../platform/deps.ts";
import type { Mailer } from "../../../platform/outbound/open-mailer.ts";
import type { Outcome } from "../../../platform/outbound/send-message.ts";
import type { TakenDelivery } from "../take-deliveries.ts";

/** What is posted to a subscriber: JSON as `body`, with headers beside those that every message has. */
type Message = { url: string; headers: Record<string, string>; body: Buffer };

/** A kind that tells its subscriber by a message, which is sent under the rules of fan-out. */
export type PostingKind = (deps: Deps, delivery: TakenDelivery) => Message;

/** The ways out: connections under the rules of fan-out, and the SMTP server of the settings. */
export type Outbound = { agent: Dispatcher; mailer: Mailer };

/** A kind that does something else: it makes one attempt at a delivery, and tells what came of it. */
export type ActingKind = (deps: Deps, delivery: TakenDelivery, outbound: Outbound) => Promise<Outcome>;
