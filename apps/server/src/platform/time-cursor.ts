import { invalidInput } from "./errors.ts";

/** The cursor after an entry in a list that is sorted by time, newest first. */
export const writeTimeCursor = (at: string | null, id: string): string => `${at} ${id}`;

/** Parses a cursor of `writeTimeCursor`. Throws `invalid_input` for any other text. */
export function readTimeCursor(cursor: string): { at: string; id: string } {
  const [, at = "", id] = /^([1-9]\d{3}-\S+) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(cursor) ?? [];
  const time = new Date(at);
  // Converting it back must give the same text, which excludes invalid dates.
  if (!id || Number.isNaN(time.getTime()) || time.toISOString() !== at) {
    throw invalidInput([{ path: "/cursor", message: "must be from an earlier response" }]);
  }
  return { at, id };
}
