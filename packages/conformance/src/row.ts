import type { ErrorCode } from "@lodge/contract/errors";
import type { Seen } from "./request.ts";

/** A row of the interface and the check of it, which throws a `Mismatch` if the row does not hold. */
export type Check = { section: string; row: string; run: () => Promise<void> };

/** A row of the interface that does not hold, and why. */
export class Mismatch extends Error {}

/** Throws a `Mismatch` unless the condition holds. */
export function expect(holds: boolean, otherwise: string): void {
  if (!holds) throw new Mismatch(otherwise);
}

/** Expects an error response with this status and code. */
export const expectRefusal = ({ status, body, text }: Seen, wanted: number, code: ErrorCode): void =>
  expect(status === wanted && body.error === code, `expected ${wanted} ${code}, got ${status} ${text.slice(0, 200)}`);

/** The rows that need a credential; empty if it is not given. */
export const rowsWith = (credential: string | undefined, rows: (credential: string) => Check[]): Check[] =>
  credential === undefined ? [] : rows(credential);
