import { createHash } from "node:crypto";
import type { groupingRules } from "@lodge/contract/dashboard/inbox";
import { uuidOfDigest } from "../../platform/hash-uuid.ts";
import { readable } from "./readable.ts";

/** The length of a stack that is read for grouping, which bounds the cost of a report for the worker. */
export const groupedLengthMax = 65_536;

/** Why reports are one problem: the rule that applied, its version, and exactly what was hashed. */
export type Grouping = { hash: string; rule: (typeof groupingRules)[number]; version: number; strings: string[] };

/** The grouping by a rule and its strings. */
export function grouping(version: number, rule: Grouping["rule"], raw: readonly string[]): Grouping {
  const strings = raw.map(readable);
  const digest = createHash("sha256")
    .update(JSON.stringify([version, rule, ...strings]))
    .digest();
  return { hash: uuidOfDigest(digest), rule, version, strings };
}
