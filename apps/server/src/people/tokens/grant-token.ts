import { compileCheck } from "@lodge/contract/problems";
import { Name } from "@lodge/contract/text";
import { type Database, isUniqueViolation } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Basics } from "../../platform/deps.ts";
import { OperatorError } from "../../platform/errors.ts";
import { recordAudit } from "../audit/record-audit.ts";
import { insertToken } from "./insert-token.ts";

const names = compileCheck(Name);

/** The operator's request: projects by their slugs. */
type Asked = { name: string; permissions: readonly string[]; projects: readonly string[] | "all" };

/**
 * Creates a token for the operator, with any permission. The secret is only in the result. Throws an `OperatorError`
 * for an unknown organisation or project, and for a name that is invalid or taken.
 */
export async function grantToken(
  { db, clock }: Pick<Basics, "db" | "clock">,
  organisation: string,
  { name, permissions, projects }: Asked,
): Promise<{ id: string; name: string; secret: string }> {
  const [problem] = names.problemsOf(name);
  if (problem) throw new OperatorError(`The name ${problem.message}.`);
  const organisationId = await findOrganisation(db, organisation);
  try {
    return await db.transaction().execute(async (tx) => {
      const projectIds = projects === "all" ? projects : await findProjects(tx, organisationId, projects);
      const granted = [...new Set(permissions)];
      const made = await insertToken(tx, organisationId, { name, permissions: granted, projectIds });
      const who = { organisationId, userId: null, name: "lodged token create" };
      await recordAudit(tx, who, clock.now(), "token.created", { token: name, permissions: granted });
      await publish(tx, organisationId, { kind: "tokens.changed" });
      return { id: made.id, name, secret: made.secret };
    });
  } catch (error) {
    throw isUniqueViolation(error) ? new OperatorError(`There is a token named "${name}" already.`) : error;
  }
}

/** The id of the organisation with a slug. Throws an `OperatorError` if there is none. */
export async function findOrganisation(db: Database, slug: string): Promise<string> {
  const found = await db.selectFrom("organisations").select("id").where("slug", "=", slug).executeTakeFirst();
  if (!found) throw new OperatorError(`There is no organisation "${slug}".`);
  return found.id;
}

async function findProjects(db: Database, organisationId: string, slugs: readonly string[]): Promise<string[]> {
  const found = await db
    .selectFrom("projects")
    .select(["id", "slug"])
    .where("organisation_id", "=", organisationId)
    .where("slug", "in", slugs)
    .forKeyShare()
    .execute();
  const missing = slugs.find((slug) => !found.some((project) => project.slug === slug));
  if (missing !== undefined) throw new OperatorError(`There is no project "${missing}".`);
  return found.map(({ id }) => id);
}
