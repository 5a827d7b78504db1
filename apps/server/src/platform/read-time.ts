import { invalidInput } from "./errors.ts";

/** A time that a request names. Throws `invalid_input` for one that cannot be reckoned with: in a leap second, say. */
export function readTime(path: string, text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw invalidInput([{ path, message: "is not a valid time" }]);
  return time;
}

/** Whether a text YYYY-MM-DD is a day of the calendar. */
export function isDay(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 10) === text;
}
