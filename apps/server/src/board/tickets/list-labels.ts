import type { LabelList } from "@lodge/contract/dashboard/tickets";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";

const labelsListed = 1000;

/** The labels that tickets of the organisation have had, by name, at most 1,000. */
export async function listLabels({ db }: Deps, { organisationId }: Actor): Promise<LabelList> {
  const labels = await db
    .selectFrom("labels")
    .select("name")
    .where("organisation_id", "=", organisationId)
    .orderBy("name")
    .limit(labelsListed)
    .execute();
  return { labels: labels.map(({ name }) => name) };
}
