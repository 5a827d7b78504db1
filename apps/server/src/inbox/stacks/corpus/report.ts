import type { Envelope } from "@lodge/contract/envelope";

/**
 * Reports of one language by bug, as a person would see it: reports of one bug are one problem, those of two bugs are
 * two.
 */
export type Corpus = { language: string; bugs: Record<string, Report[]> };
export type Report = Partial<Envelope>;

/** A report of an error with its stack in text. */
export const sent = (type: string, message: string, stack: string, platform?: string): Report => ({
  error: { type, message, stack: stack.replace(/^\n/, "") },
  ...(platform !== undefined && { platform }),
});

type Frames = NonNullable<NonNullable<Envelope["error"]>["frames"]>;

/** A report of an error with its frames as fields. */
export const framed = (type: string, message: string, platform: string, frames: Frames): Report => ({
  error: { type, message, frames },
  platform,
});
