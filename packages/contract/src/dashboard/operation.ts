import { type Operation, operation } from "../operation.ts";

/**
 * Describes an operation of the dashboard's API. Objects of another organisation are answered exactly like ones that do
 * not exist, and a malformed id in a path like an unknown one. The session is an http-only cookie, which a browser
 * sends by itself to the same origin; a request that changes something must come from a page of that origin.
 */
export const dashboard = <const Described extends Omit<Operation, "door" | "credential">>(described: Described) =>
  operation({ ...described, door: "dashboard" });
