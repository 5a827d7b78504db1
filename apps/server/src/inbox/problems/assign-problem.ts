import type { ProblemDetails } from "@lodge/contract/dashboard/inbox";
import type { Actor } from "../../people/access/find-actor.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { getProblem } from "./get-problem.ts";

/** Assigns a problem to a member, or to nobody. Throws `problem_not_found` or `not_a_member`. */
export async function assignProblem(
  deps: Deps,
  actor: Actor,
  problemId: string,
  userId: string | null,
): Promise<ProblemDetails> {
  const { organisationId } = actor;
  await deps.db.transaction().execute(async (tx) => {
    if (userId !== null) {
      const member = await tx
        .selectFrom("members")
        .select("user_id")
        .where("organisation_id", "=", organisationId)
        .where("user_id", "=", userId)
        .executeTakeFirst();
      if (!member) throw new Refusal("not_a_member");
    }
    const changed = await tx
      .updateTable("problems")
      .set({ assignee_user_id: userId })
      .where("organisation_id", "=", organisationId)
      .where("id", "=", problemId)
      .returning(["app_id", "id"])
      .executeTakeFirst();
    if (!changed) throw new Refusal("problem_not_found");
    await publish(tx, organisationId, { kind: "problem.changed", appId: changed.app_id, problemId: changed.id });
  });
  return getProblem(deps, actor, problemId);
}
