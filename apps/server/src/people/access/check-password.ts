import type { FastifyRequest } from "fastify";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import type { SignedIn } from "./find-actor.ts";
import { limitSignIn } from "./limit-sign-in.ts";
import { verifyPassword } from "./password-hash.ts";

/** Verifies the password of a signed-in person. Throws `rate_limit_exceeded` or `wrong_credentials`. */
export async function checkPassword(
  deps: Deps,
  request: FastifyRequest,
  { userId, email }: SignedIn,
  password: string,
): Promise<void> {
  await limitSignIn(deps, request.ip, email);
  const known = await deps.db.selectFrom("passwords").select("hash").where("user_id", "=", userId).executeTakeFirst();
  if (!known || !(await verifyPassword({ hash: known.hash, password }))) throw new Refusal("wrong_credentials");
}
