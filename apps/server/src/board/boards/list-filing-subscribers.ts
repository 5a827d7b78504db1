import type { DeletionQuery } from "@lodge/contract/dashboard/boards";
import type { FilingSubscriberList } from "@lodge/contract/dashboard/organisation";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/** A board, or all boards of a project. */
type Place = { boardId: string } | { projectId: string };

/**
 * The subscribers that file reports onto a board, or onto those of a project. Throws `board_not_found` or
 * `project_not_found`.
 */
export async function listFilingSubscribers(
  { db }: Deps,
  { organisationId }: Actor,
  place: Place,
): Promise<FilingSubscriberList> {
  const [table, id] =
    "boardId" in place ? (["boards", place.boardId] as const) : (["projects", place.projectId] as const);
  const found = await db
    .selectFrom(table)
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "=", id)
    .executeTakeFirst();
  if (!found) throw new Refusal(table === "boards" ? "board_not_found" : "project_not_found");
  return { subscribers: await readFilingSubscribers(db, organisationId, place) };
}

/** The same, for a place that exists. */
function readFilingSubscribers(
  db: Database,
  organisationId: string,
  place: Place,
): Promise<FilingSubscriberList["subscribers"]> {
  return db
    .selectFrom("subscribers")
    .innerJoin("apps", "apps.id", "subscribers.app_id")
    .innerJoin("boards", (join) =>
      join
        .onRef("boards.organisation_id", "=", "subscribers.organisation_id")
        .onRef("boards.id", "=", "subscribers.board_id"),
    )
    .select(["subscribers.id", "apps.name as app", "boards.name as board", "subscribers.enabled"])
    .where("subscribers.organisation_id", "=", organisationId)
    .where("subscribers.deleted_at", "is", null)
    .$if("boardId" in place, (query) => query.where("boards.id", "=", (place as { boardId: string }).boardId))
    .$if("projectId" in place, (query) =>
      query.where("boards.project_id", "=", (place as { projectId: string }).projectId),
    )
    .orderBy("boards.name")
    .orderBy("apps.name")
    .orderBy("subscribers.id")
    .execute();
}

/** Refuses to delete a place that reports are filed onto, unless the subscribers may be deleted too. */
export async function refuseFiling(
  tx: Database,
  organisationId: string,
  place: Place,
  { subscribers }: DeletionQuery,
): Promise<void> {
  if (subscribers === "delete") return;
  const [filing] = await readFilingSubscribers(tx, organisationId, place);
  if (filing) throw new Refusal("board_has_subscribers");
}
