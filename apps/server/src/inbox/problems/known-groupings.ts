import type { Envelope } from "@lodge/contract/envelope";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { framesOfVersion1, groupByVersion1 } from "./group-report-1.ts";
import type { Grouping } from "./grouping.ts";
import { type OriginalError, originalFrames } from "./original-error.ts";

/** The grouping of a report by version 1 of the rules, with its frames mapped if there are source maps. */
export function groupingBefore(envelope: Partial<Envelope>, original: OriginalError | undefined): Grouping | undefined {
  const frames = framesOfVersion1(envelope.error?.stack);
  return groupByVersion1(envelope, original ? originalFrames(frames, original.originals) : frames);
}

const findKnown = preparedStatement({
  name: "find_known_hashes",
  parameters: { appIds: "uuid[]", hashes: "uuid[]" },
  row: { app_id: "uuid", hash: "uuid" },
  text: ({ appIds, hashes }) => `select app_id, hash from unnest(${appIds}, ${hashes}) as asked (app_id, hash)
  where exists (select from problem_hashes known where known.app_id = asked.app_id and known.hash = asked.hash
    and not known.retired)`,
});

/** The grouping of an event by the current rules, and by version 1 if its app has problems of that version. */
export type Regrouped = { appId: string; grouping: Grouping | undefined; groupingBefore: Grouping | undefined };

/** Keeps events of older problems with those problems: new rules only create new problems. */
export async function keepOldGroupings({ pool }: Pick<Deps, "pool">, events: readonly Regrouped[]): Promise<void> {
  const asked = events.flatMap(({ appId, groupingBefore: before }) => (before ? { appId, hash: before.hash } : []));
  if (asked.length === 0) return;
  const known = await findKnown(pool, {
    appIds: asked.map(({ appId }) => appId),
    hashes: asked.map(({ hash }) => hash),
  });
  const keys = new Set(known.map(({ app_id, hash }) => `${app_id} ${hash}`));
  for (const event of events) {
    const before = event.groupingBefore;
    if (before && keys.has(`${event.appId} ${before.hash}`)) event.grouping = before;
    event.groupingBefore = undefined;
  }
}
