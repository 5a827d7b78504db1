import type { FastifyRequest } from "fastify";
import { hashTokenSecret, isTokenSecret } from "../../people/tokens/token-secret.ts";
import { preparedStatement } from "../../platform/database/statements.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";

/** The runner of a request. */
export type Runner = { organisationId: string; id: string; name: string };

declare module "fastify" {
  interface FastifyRequest {
    runner: Runner;
  }
}

const findRunner = preparedStatement({
  name: "find_runner",
  parameters: { secret: "bytea", now: "timestamptz" },
  row: { organisation_id: "uuid", id: "uuid", name: "text" },
  text: ({ secret, now }) => `with seen as (
    update runners set last_seen_at = ${now}
    where secret_sha256 = ${secret} and (last_seen_at is null or last_seen_at < ${now} - interval '1 minute')
  )
  select organisation_id, id, name from runners where secret_sha256 = ${secret}`,
});

/** An `onRequest` hook that admits a runner as `request.runner` (contract section 11). Throws `invalid_runner_token`. */
export const requireRunner =
  ({ pool, clock }: Deps) =>
  async (request: FastifyRequest): Promise<void> => {
    const secret = /^Bearer +(\S+) *$/i.exec(request.headers.authorization ?? "")?.[1];
    const isOne = secret !== undefined && isTokenSecret(secret, "ldgrun_");
    const [row] = isOne ? await findRunner(pool, { secret: hashTokenSecret(secret), now: clock.now() }) : [];
    if (!row) throw invalidRunner();
    request.runner = { organisationId: row.organisation_id, id: row.id, name: row.name };
  };

/** The refusal of an unknown or revoked runner. */
export const invalidRunner = () => new Refusal("invalid_runner_token", {}, { "www-authenticate": "Bearer" });
