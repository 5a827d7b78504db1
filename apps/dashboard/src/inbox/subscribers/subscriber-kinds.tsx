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

/** A kind of subscribers. */
export type SubscriberKind = Delivery["subscriber"]["kind"];

/** How people call the kinds of subscribers. */
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

/** The sign of a kind, beside its name. */
export function SubscriberMark({ kind }: { kind: SubscriberKind }) {
  const Icon = icons[kind];
  return <Icon aria-hidden className="size-4 shrink-0 text-muted" />;
}

/** Whether the messages to a kind can be shown as a curl command. */
export const isPosting = (kind: SubscriberKind) => !["email", "github", "board"].includes(kind);

/** The address of a subscriber, short enough for a line: of a chat only the host, since its path is a secret. */
export function receiverOf({ kind, url, boardName }: Pick<Subscriber, "kind" | "url" | "boardName">): string {
  if (url === null) return boardName ?? "";
  const { origin, pathname } = new URL(url);
  if (kind === "email") return pathname;
  return kind === "webhook" || kind === "github" ? `${origin}${pathname}` : origin;
}
