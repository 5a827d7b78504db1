import type { subscriberKinds } from "@lodge/contract/world";
import type { Dispatcher } from "undici";
import type { Deps } from "../../platform/deps.ts";
import type { Outcome } from "../../platform/outbound/send-message.ts";
import type { TakenDelivery } from "../take-deliveries.ts";
import { board } from "./board.ts";
import { discord } from "./discord.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { webhook } from "./webhook.ts";

/** How one attempt at a delivery is made at a kind of subscriber. `agent` refuses addresses that are not public. */
export type Kind = (context: { deps: Deps; agent: Dispatcher }, delivery: TakenDelivery) => Promise<Outcome>;

/** The kinds of subscribers (contract section 4); CONTRIBUTING.md says how to add one. */
export const kinds: Record<(typeof subscriberKinds)[number], Kind> = { webhook, slack, discord, teams, board };
