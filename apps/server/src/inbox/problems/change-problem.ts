import type { ChangeProblem, ProblemDetails } from "@lodge/contract/dashboard/inbox";
import { sql } from "kysely";
import type { Actor } from "../../people/access/find-actor.ts";
import type { Changer } from "../../people/tokens/changer.ts";
import type { Database, Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { readTime } from "../../platform/read-time.ts";
import { getProblem } from "./get-problem.ts";
import { versionKey } from "./version-key.ts";

/** Opens, resolves or mutes a problem in a member's name. Throws `problem_not_found` or `invalid_input`. */
export async function changeProblem(
  deps: Deps,
  actor: Actor,
  problemId: string,
  input: ChangeProblem,
): Promise<ProblemDetails> {
  await setProblemState(deps, actor, problemId, input);
  return getProblem(deps, actor, problemId);
}

/**
 * Opens, resolves or mutes a problem, and calls `keep` in the same transaction. Throws `problem_not_found` or
 * `invalid_input`.
 */
export async function setProblemState(
  deps: Deps,
  { organisationId, userId }: Changer,
  problemId: string,
  { state, version, until, inNextVersion = false }: ChangeProblem,
  keep: (tx: Transaction) => Promise<void> = async () => {},
): Promise<void> {
  const mutedUntil = until === undefined ? null : readTime("/until", until);
  await deps.db.transaction().execute(async (tx) => {
    const problem = await tx
      .selectFrom("problems")
      .select(["app_id", "id"])
      .where("organisation_id", "=", organisationId)
      .where("id", "=", problemId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!problem) throw new Refusal("problem_not_found");
    const resolvedVersion = state === "resolved" ? (version ?? (await newestVersion(tx, problem.app_id))) : null;
    await tx
      .updateTable("problems")
      .set({
        state,
        state_changed_at: deps.clock.now(),
        state_changed_by_user_id: userId,
        resolved_version: resolvedVersion,
        resolved_in_next: state === "resolved" && inNextVersion,
        resolved_version_key: resolvedVersion === null ? null : (versionKey(resolvedVersion) ?? null),
        muted_until: state === "muted" ? mutedUntil : null,
      })
      .where("app_id", "=", problem.app_id)
      .where("id", "=", problem.id)
      .execute();
    await publish(tx, organisationId, { kind: "problem.changed", appId: problem.app_id, problemId: problem.id });
    await keep(tx);
  });
}

/** The newest version of an app: the highest version number or, if no version has numbers, the one first seen last. */
async function newestVersion(tx: Database, appId: string): Promise<string | null> {
  const { rows } = await sql<{ version: string }>`
    select substr(facet, 9) as version from app_facets
    where app_id = ${appId} and starts_with(facet, 'version:') order by first_seen_at desc`.execute(tx);
  const versions = rows.map(({ version }) => ({ version, key: versionKey(version) }));
  const [newest] = versions
    .filter(({ key }) => key !== undefined)
    .sort((a, b) => ((a.key ?? "") < (b.key ?? "") ? 1 : -1));
  return newest?.version ?? versions[0]?.version ?? null;
}
