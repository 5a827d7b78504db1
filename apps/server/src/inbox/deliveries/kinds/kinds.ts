import type { subscriberKinds } from "@lodge/contract/world";
import { board } from "./board.ts";
import { discord } from "./discord.ts";
import { email } from "./email.ts";
import { github } from "./github.ts";
import type { ActingKind, PostingKind } from "./kind.ts";
import { slack } from "./slack.ts";
import { teams } from "./teams.ts";
import { webhook } from "./webhook.ts";

/** The kinds that post a message (contract section 4). CONTRIBUTING.md says how to add one. */
export const postingKinds = { webhook, slack, discord, teams } satisfies Partial<Record<SubscriberKind, PostingKind>>;

/** The kinds that make the attempt themselves. */
export const actingKinds: Record<Exclude<SubscriberKind, keyof typeof postingKinds>, ActingKind> = {
  board,
  email,
  github,
};

type SubscriberKind = (typeof subscriberKinds)[number];

/** Whether subscribers of a kind receive messages. */
export const isPosting = (kind: SubscriberKind): kind is keyof typeof postingKinds => kind in postingKinds;
