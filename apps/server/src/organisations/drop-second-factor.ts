import { removeSecondFactor } from "../access/second-factor.ts";
import type { Deps } from "../platform/deps.ts";
import { OperatorError } from "../platform/errors.ts";

/** Takes away a person's second factor, if there is one, for who runs the server. Throws an `OperatorError`. */
export function dropSecondFactor(
  { db }: Pick<Deps, "db">,
  email: string,
): Promise<{ user: { id: string; email: string } }> {
  return db.transaction().execute(async (tx) => {
    const user = await tx
      .selectFrom("users")
      .select(["id", "email"])
      .where("email", "=", email.toLowerCase())
      .executeTakeFirst();
    if (!user) throw new OperatorError(`There is nobody with the address "${email}".`);
    await removeSecondFactor(tx, user.id);
    return { user };
  });
}
