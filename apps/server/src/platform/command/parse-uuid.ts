import { InvalidArgumentError } from "commander";

/** Parses an argument of a command that must be a UUID. */
export function parseUuid(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new InvalidArgumentError("It must be a UUID.");
  return text;
}
