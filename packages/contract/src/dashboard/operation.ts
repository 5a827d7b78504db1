import { type Operation, operation } from "../operation.ts";

/**
 * Describes an operation of the dashboard's API. Objects of another organisation get the same response as objects that do
 * not exist, and so does a malformed id in a path. The session is an http-only cookie, which browsers send to the same
 * origin. A request that changes something must come from a page of that origin.
 */
export const dashboard = <const Described extends Omit<Operation, "door" | "credential">>(described: Described) =>
  operation({ ...described, door: "dashboard" });
