import type { Envelope } from "@lodge/contract/envelope";
import type { Deps } from "../../platform/deps.ts";
import { groupReport } from "../problems/group-report.ts";
import { groupedLengthMax } from "../problems/grouping.ts";
import { groupingBefore } from "../problems/known-groupings.ts";
import { readOriginalError } from "../problems/original-error.ts";
import { facetsOf } from "../problems/summarise-event.ts";
import { clipStack } from "../stacks/read-stack.ts";

/** The length of a type or message that the grouping rules read. */
const groupedTextMax = 4_000;

/** The facts about a report that subscribers' filters need. */
export type ReportFacts = {
  facets: string[];
  /** The part of the envelope that the grouping reads, if a filter needs it. */
  grouped: Partial<Envelope> | undefined;
};

/** A function that reads the facts that the filters of an app need; undefined if it has no filters. */
export const factsReader = (filterDepth: number | null) =>
  filterDepth === null
    ? undefined
    : (envelope: Envelope): ReportFacts => ({
        facets: facetsOf(envelope),
        grouped: filterDepth > 1 ? groupedPart(envelope) : undefined,
      });

/** The part of an envelope that grouping reads, so that the rest of a large one is freed after its check. */
function groupedPart({
  kind,
  platform,
  fingerprint,
  error,
  title,
  message,
  app,
  debugIds,
}: Envelope): Partial<Envelope> {
  return {
    ...(kind !== undefined && { kind }),
    ...(platform !== undefined && { platform }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(title !== undefined && { title }),
    ...(message !== undefined && { message }),
    ...(app !== undefined && { app }),
    ...(debugIds !== undefined && { debugIds }),
    ...(error !== undefined && {
      error: { ...groupedError(error), ...(error.causes && { causes: error.causes.map(groupedError) }) },
    }),
  };
}

const groupedError = ({ type, message, stack, frames }: NonNullable<Envelope["error"]>) => ({
  type: type.slice(0, groupedTextMax),
  message: message.slice(0, groupedTextMax),
  ...(stack !== undefined && { stack: clipStack(stack, groupedLengthMax) }),
  ...(frames !== undefined && { frames: frames.map(({ context: _, ...frame }) => frame) }),
});

/** The hashes of a report by the current and the earlier rules; null if it is not grouped. */
export async function hashesOf(deps: Deps, appId: string, { grouped }: ReportFacts) {
  if (!grouped) return { group_hash: null, old_group_hash: null };
  const original = await readOriginalError(deps, appId, grouped, groupedLengthMax);
  const group_hash = groupReport(grouped, original.read)?.hash ?? null;
  return { group_hash, old_group_hash: groupingBefore(grouped, original)?.hash ?? null };
}
