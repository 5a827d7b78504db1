import { invalidInput } from "./errors.ts";

/** The cursor of entries after this one in a list by time, the newest first. */
export const writeTimeCursor = (at: string | null, id: string): string => `${at} ${id}`;

/** Reads it again. Throws `invalid_input` for what `writeTimeCursor` never writes. */
export function readTimeCursor(cursor: string): { at: string; id: string } {
  const [, at = "", id] = /^([1-9]\d{3}-\S+) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(cursor) ?? [];
  const time = new Date(at);
  // Only what is written as we write it is a day of the calendar.
  if (!id || Number.isNaN(time.getTime()) || time.toISOString() !== at) {
    throw invalidInput([{ path: "/cursor", message: "is not a cursor of an earlier answer" }]);
  }
  return { at, id };
}
