import type { Envelope } from "@lodge/contract/envelope";
import type { Deps } from "../../platform/deps.ts";
import { parseEnvelope, readable, shorten, titleOf } from "../problems/readable.ts";
import type { TakenDelivery } from "./take-deliveries.ts";

const titleLengthMax = 200;

/**
 * A report as people read it: its title or what comes nearest to one, its message, and where to find it. One that says
 * nothing of itself is untitled: its kind stands for the title.
 */
export type Summary = { title: string; isUntitled: boolean; message: string; url: string };

/**
 * Reads a report's title and message out of its envelope; what a database or a screen cannot show is replaced. Where a
 * delivery tells of an answer of the reporter's, that is the message.
 */
export function summariseReport({ urls }: Deps, { envelope, eventId, reply, replayId, kind }: TakenDelivery): Summary {
  const report: Partial<Envelope> = envelope ? parseEnvelope(envelope) : {};
  const { title, isUntitled } = titleOf(report);
  const isReplay = replayId !== null && kind !== "board"; // a card is not news
  return {
    title: shorten(`${isReplay ? "Replayed: " : ""}${reply ? "The reporter answered: " : ""}${title}`, titleLengthMax),
    isUntitled,
    message: reply?.text ?? readable(report.message ?? ""),
    url: `${urls.base}/events/${eventId}`,
  };
}
