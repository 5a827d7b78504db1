import type { subscriberKinds } from "@lodge/contract/world";
import type { Deps } from "../../platform/deps.ts";
import type { Outcome } from "../../platform/outbound/send-message.ts";
import type { TakenDelivery } from "../take-deliveries.ts";
import { board } from "./board.ts";
import { discord } from "./discord.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { webhook } from "./webhook.ts";

/** What is posted to a subscriber: JSON as `body`, with headers beside those that every message has. */
type Message = { url: string; headers: Record<string, string>; body: Buffer };

/** A kind that tells its subscriber by a message, which is sent under the rules of fan-out. */
export type PostingKind = (deps: Deps, delivery: TakenDelivery) => Message;

/** A kind that does something else: it makes one attempt at a delivery, and tells what came of it. */
export type ActingKind = (deps: Deps, delivery: TakenDelivery) => Promise<Outcome>;

/** The kinds that post (contract section 4); CONTRIBUTING.md says how to add one. */
export const postingKinds = { webhook, slack, discord, teams } satisfies Partial<Record<SubscriberKind, PostingKind>>;

/** The others. */
export const actingKinds: Record<Exclude<SubscriberKind, keyof typeof postingKinds>, ActingKind> = { board };

type SubscriberKind = (typeof subscriberKinds)[number];

/** Whether subscribers of a kind are told by a message. */
export const isPosting = (kind: SubscriberKind): kind is keyof typeof postingKinds => kind in postingKinds;
