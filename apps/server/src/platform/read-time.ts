import { invalidInput } from "./errors.ts";

/** Parses a time in a request. Throws `invalid_input` if it is invalid, for example a leap second. */
export function readTime(path: string, text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) throw invalidInput([{ path, message: "is not a valid time" }]);
  return time;
}

/** Whether a text in the form YYYY-MM-DD is a valid date. */
export function isDay(text: string): boolean {
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 10) === text;
}
