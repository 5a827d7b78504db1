import { InvalidArgumentError } from "commander";

/** The UUID that an argument of a command must be. */
export function parseUuid(text: string): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) throw new InvalidArgumentError("It must be a UUID.");
  return text;
}
