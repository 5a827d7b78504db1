import { createHash } from "node:crypto";
import type { groupingRules } from "@lodge/contract/dashboard/inbox";
import { uuidOfDigest } from "../../platform/hash-uuid.ts";
import { readable } from "./readable.ts";

/** So much of a stack is read to group its report: what a report may cost the worker is bounded by this. */
export const groupedLengthMax = 65_536;

/** The reason why reports are one problem: the rule that applied, its version, and exactly what was hashed. */
export type Grouping = { hash: string; rule: (typeof groupingRules)[number]; version: number; strings: string[] };

/** The grouping by a rule and its strings. */
export function grouping(version: number, rule: Grouping["rule"], raw: readonly string[]): Grouping {
  const strings = raw.map(readable);
  const digest = createHash("sha256")
    .update(JSON.stringify([version, rule, ...strings]))
    .digest();
  return { hash: uuidOfDigest(digest), rule, version, strings };
}
