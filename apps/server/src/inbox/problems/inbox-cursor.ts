import { invalidInput } from "../../platform/errors.ts";

/** The position of an entry in an inbox. */
export type Place = { count: number; at: string; id: string };

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
const patternOf = {
  newest: new RegExp(`^(?<at>[1-9]\\d{3}-\\S+) (?<id>${uuid})$`),
  frequent: new RegExp(`^(?<count>\\d{1,15}) (?<at>[1-9]\\d{3}-\\S+) (?<id>${uuid})$`),
};

/** The cursor for the next page. */
export const writeCursor = (order: keyof typeof patternOf, { count, at, id }: Place): string =>
  order === "frequent" ? `${count} ${at} ${id}` : `${at} ${id}`;

/** Reads a cursor. Throws `invalid_input` if it was not written for this list and order. */
export function readCursor(order: keyof typeof patternOf, cursor: string): Place {
  const { count = "1", at = "", id } = patternOf[order].exec(cursor)?.groups ?? {};
  const time = new Date(at);
  // Accepts only canonical times, since others may be no dates of the calendar.
  if (!id || Number.isNaN(time.getTime()) || time.toISOString() !== at) {
    throw invalidInput([{ path: "/cursor", message: "must be from an earlier response with the same `order`" }]);
  }
  return { count: Number(count), at, id };
}
