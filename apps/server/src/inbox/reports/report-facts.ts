import type { Envelope } from "@lodge/contract/envelope";
import type { Deps } from "../../platform/deps.ts";
import { groupedLengthMax, groupReport } from "../problems/group-report.ts";
import { readOriginalStack } from "../problems/original-frames.ts";
import { facetsOf } from "../problems/summarise-event.ts";

/** What subscribers' filters need to know of a report. */
export type ReportFacts = {
  facets: string[];
  /** What it is recognised by is read from this, where a filter asks for it. */
  grouped: Partial<Envelope> | undefined;
};

/** How the facts are read that the filters of an app ask for; undefined where it has none. */
export const factsReader = (filterDepth: number | null) =>
  filterDepth === null
    ? undefined
    : (envelope: Envelope): ReportFacts => ({
        facets: facetsOf(envelope),
        grouped: filterDepth > 1 ? groupedPart(envelope) : undefined,
      });

/** As much of an envelope as grouping reads: the rest of a large one is not to outlive its check. */
function groupedPart({ kind, fingerprint, error, title, message, app, debugIds }: Envelope): Partial<Envelope> {
  return {
    ...(kind !== undefined && { kind }),
    ...(fingerprint !== undefined && { fingerprint }),
    ...(title !== undefined && { title }),
    ...(message !== undefined && { message }),
    ...(app !== undefined && { app }),
    ...(debugIds !== undefined && { debugIds }),
    ...(error !== undefined && {
      error: { ...error, ...(error.stack !== undefined && { stack: error.stack.slice(0, groupedLengthMax) }) },
    }),
  };
}

/** What a report is recognised by, as it will be when it is read into its inbox; null for one that stands for itself. */
export async function hashOf(deps: Deps, appId: string, { grouped }: ReportFacts): Promise<string | null> {
  if (!grouped) return null;
  const frames = await readOriginalStack(deps, appId, grouped, groupedLengthMax);
  return groupReport(grouped, frames)?.hash ?? null;
}
