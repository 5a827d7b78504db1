import type { Delivery } from "@lodge/contract/dashboard/deliveries";
import type { Subscriber } from "@lodge/contract/dashboard/subscribers";
import {
  CircleDot,
  Hash,
  type LucideIcon,
  Mail,
  MessageSquare,
  MessagesSquare,
  SquareKanban,
  Webhook,
} from "lucide-react";

/** A kind of subscriber. */
export type SubscriberKind = Delivery["subscriber"]["kind"];

/** The names of the kinds of subscriber. */
export const subscriberLabels: Record<SubscriberKind, string> = {
  webhook: "Webhook",
  slack: "Slack",
  discord: "Discord",
  teams: "Microsoft Teams",
  email: "E-mail",
  github: "GitHub issue",
  board: "Board",
};

const icons: Record<SubscriberKind, LucideIcon> = {
  webhook: Webhook,
  slack: Hash,
  discord: MessagesSquare,
  teams: MessageSquare,
  email: Mail,
  github: CircleDot,
  board: SquareKanban,
};

/** The icon of a kind. */
export function SubscriberMark({ kind }: { kind: SubscriberKind }) {
  const Icon = icons[kind];
  return <Icon aria-hidden className="size-4 shrink-0 text-muted" />;
}

/** Whether deliveries to a kind can be shown as a curl command. */
export const isPosting = (kind: SubscriberKind) => !["email", "github", "board"].includes(kind);

/** The target of a subscriber in one line. For a chat only the origin, because the path is secret. */
export function receiverOf({ kind, url, boardName }: Pick<Subscriber, "kind" | "url" | "boardName">): string {
  if (url === null) return boardName ?? "";
  const { origin, pathname } = new URL(url);
  if (kind === "email") return pathname;
  return kind === "webhook" || kind === "github" ? `${origin}${pathname}` : origin;
}
