import type { Database } from "../../platform/database/database.ts";
import type { Runner } from "./authenticate-runner.ts";

const repositoriesMax = 100;

/** The repositories that a runner may be given, by name. */
export async function listRunnerRepositories(db: Database, { organisationId }: Runner) {
  return db
    .selectFrom("repositories")
    .select(["name", "url", "credentials_env as credentialsEnv"])
    .where("organisation_id", "=", organisationId)
    .orderBy("name")
    .orderBy("id")
    .limit(repositoriesMax)
    .execute();
}
