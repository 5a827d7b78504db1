import type { World } from "@lodge/contract/world";
import type { Transaction } from "../../platform/database/database.ts";
import { OperatorError } from "../../platform/errors.ts";
import { problemsOfApp } from "./check-app.ts";
import { makeSdkKey } from "./sdk-key.ts";

type App = NonNullable<World["apps"]>[number];

/**
 * Creates an app with its SDK keys, or updates the fields that differ. Apps are identified by slug, live keys by name.
 */
export async function applyApp(
  tx: Transaction,
  organisationId: string,
  { slug, name, replies, tellsFixes, enabled, origins, settings, spike, sourceLines, keys = [] }: App,
): Promise<{ id: string; slug: string; number: number; keys: { id: string; name: string; key: string }[] }> {
  const [problem] = problemsOfApp({ ...(origins && { origins }), ...(settings && { settings }) });
  if (problem) throw new OperatorError(`${problem.path} of the app "${slug}" ${problem.message}.`);
  const wanted = {
    name,
    ...(replies === undefined ? {} : { replies }),
    ...(tellsFixes === undefined ? {} : { tells_fixes: tellsFixes }),
    ...(enabled === undefined ? {} : { enabled }),
    ...(origins && { allowed_origins: origins.length > 0 ? origins : null }),
    ...(settings && { settings: JSON.stringify(settings) }),
    ...(spike && { spike_events: spike.events, spike_minutes: spike.minutes }),
    ...(sourceLines === undefined ? {} : { source_lines: sourceLines }),
  };
  const { id, number } = await tx
    .insertInto("apps")
    .values({ organisation_id: organisationId, slug, ...wanted })
    .onConflict((conflict) =>
      conflict.columns(["organisation_id", "slug"]).where("deleted_at", "is", null).doUpdateSet(wanted),
    )
    .returning(["id", "number"])
    .executeTakeFirstOrThrow();
  const applied = [];
  for (const keyName of keys) {
    const found = await tx
      .selectFrom("sdk_keys")
      .select(["id", "key"])
      .where("app_id", "=", id)
      .where("name", "=", keyName)
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    const made =
      found ??
      (await tx
        .insertInto("sdk_keys")
        .values({ app_id: id, name: keyName, key: makeSdkKey() })
        .returning(["id", "key"])
        .executeTakeFirstOrThrow());
    applied.push({ id: made.id, name: keyName, key: made.key });
  }
  return { id, slug, number, keys: applied };
}
