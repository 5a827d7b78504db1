import type { Deps } from "../platform/deps.ts";
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
export function summariseReport({ urls }: Deps, { envelope, eventId, reply }: TakenDelivery): Summary {
  const text = (envelope ?? Buffer.from("{}")).toString("utf8").replace(/^\uFEFF/, "");
  const { title, message, error, kind = "bug" } = JSON.parse(text) as Partial<Envelope>;
  const named = [title, error && `${error.type}: ${error.message}`, message];
  const [line] = named.map((candidate) => firstLine(readable(candidate ?? ""))).filter((found) => found !== "");
  return {
    title: shorten(`${reply ? "The reporter answered: " : ""}${line ?? kind}`, titleLengthMax),
    isUntitled: line === undefined,
    message: reply?.text ?? readable(message ?? ""),
    url: `${urls.base}/events/${eventId}`,
  };
}

type Envelope = { title: string; message: string; kind: string; error: { type: string; message: string } };

/** A text of at most so many code points, with an ellipsis where it was longer. */
export function shorten(text: string, lengthMax: number): string {
  const points = [...text.slice(0, 2 * lengthMax + 2)];
  return points.length > lengthMax ? `${points.slice(0, lengthMax - 1).join("")}…` : text;
}

const firstLine = (text: string) => text.trim().split(/[\r\n]/, 1)[0] ?? "";
const readable = (text: string) => text.replaceAll("\u0000", "\uFFFD").toWellFormed();
