import type { Deps } from "../../platform/deps.ts";
import { addJobsSql } from "../../platform/jobs/jobs.ts";
import { announceCards } from "./announce-cards.ts";
import { applyNext } from "./apply-regrouping.ts";
import { planNext } from "./plan-regrouping.ts";
import { type RegroupPayload, regroupTask } from "./regrouping-rows.ts";
import { undoNext } from "./undo-regrouping.ts";

/** The time that steps run before a rest of the same length. */
const workMs = 1_000;
/** The problems that one turn announces to dashboards. */
const announcedMax = 20;

/**
 * Takes the next steps of a regrouping that is planning, applying or undoing, and schedules itself until that is done.
 * Each step is one short transaction, and reports are read outside of it.
 */
export async function regroupApp(deps: Deps, { appId }: RegroupPayload): Promise<void> {
  const regrouping = await deps.db
    .selectFrom("regroupings")
    .select(["organisation_id", "state"])
    .where("app_id", "=", appId)
    .executeTakeFirst();
  if (!regrouping) return;
  const touched = new Set<string>();
  const beganAt = performance.now();
  let isDone = false;
  while (!isDone && performance.now() - beganAt < workMs) {
    if (regrouping.state === "planning") {
      isDone = !(await planNext(deps, appId));
      continue;
    }
    const step = await (regrouping.state === "applying" ? applyNext : undoNext)(deps, appId);
    isDone = step === undefined;
    for (const id of step?.problemIds ?? []) touched.add(id);
  }
  const problemIds = [...touched];
  for (const problemId of problemIds.slice(0, announcedMax)) {
    deps.announce(regrouping.organisation_id, { kind: "problem.changed", appId, problemId });
  }
  await announceCards(
    deps,
    problemIds.map((problem_id) => ({ app_id: appId, problem_id })),
  );
  if (isDone) return;
  await deps.pool.query(addJobsSql(regroupTask, "select $1::json, now() + interval '1 second'"), [
    JSON.stringify({ appId } satisfies RegroupPayload),
  ]);
}
