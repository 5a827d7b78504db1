import type { CreateRunner, NewRunner } from "@lodge/contract/dashboard/runs";
import { runnersMax } from "@lodge/contract/limits";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { isUniqueViolation } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { insertRunner } from "./apply-runner.ts";
import { showRunner } from "./list-runners.ts";

/** Creates a runner and returns its secret, which is shown only once. Throws `runner_name_taken` or `too_many`. */
export async function createRunner({ db, clock }: Deps, actor: Actor, { name }: CreateRunner): Promise<NewRunner> {
  const { organisationId } = actor;
  try {
    return await db.transaction().execute(async (tx) => {
      const { count } = await tx
        .selectFrom("runners")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("organisation_id", "=", organisationId)
        .executeTakeFirstOrThrow();
      if (Number(count) >= runnersMax) throw new Refusal("too_many");
      const { id, secret } = await insertRunner(tx, organisationId, name);
      await recordAudit(tx, actor, clock.now(), "runner.created", { runner: name });
      await publish(tx, organisationId, { kind: "runners.changed" });
      return { runner: await showRunner(tx, organisationId, id), secret };
    });
  } catch (error) {
    throw isUniqueViolation(error) ? new Refusal("runner_name_taken") : error;
  }
}
