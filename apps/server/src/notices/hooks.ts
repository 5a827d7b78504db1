import type { CreateHook, HookList, NewHook } from "@lodge/contract/dashboard/hooks";
import { hooksMax } from "@lodge/contract/limits";
import type { Actor } from "../access/find-actor.ts";
import { publish } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { invalidInput, Refusal } from "../platform/errors.ts";
import { makeSigningSecret } from "../subscribers/sign-webhook.ts";

const columns = ["id", "url", "created_at", "last_sent_at", "last_failure"] as const;
type Row = { id: string; url: string; created_at: Date; last_sent_at: Date | null; last_failure: string | null };
const toHook = (row: Row): HookList["hooks"][number] => ({
  id: row.id,
  url: row.url,
  createdAt: row.created_at.toISOString(),
  lastSentAt: row.last_sent_at?.toISOString() ?? null,
  lastFailure: row.last_failure,
});

/** The webhooks of an organisation, the oldest first. */
export async function listHooks({ db }: Deps, { organisationId }: Actor): Promise<HookList> {
  const rows = await db
    .selectFrom("organisation_hooks")
    .select(columns)
    .where("organisation_id", "=", organisationId)
    .orderBy("id")
    .execute();
  return { hooks: rows.map(toHook) };
}

/** Makes a webhook, its signing secret shown this once. Throws `invalid_input` or `too_many`. */
export async function createHook(deps: Deps, actor: Actor, { url }: CreateHook): Promise<NewHook> {
  const { organisationId } = actor;
  const parsed = URL.parse(url);
  if (!/^https?:$/.test(parsed?.protocol ?? "") || parsed?.username || parsed?.password) {
    throw invalidInput([{ path: "/url", message: "must be an http:// or https:// address without a user name" }]);
  }
  if ((await listHooks(deps, actor)).hooks.length >= hooksMax) throw new Refusal("too_many");
  const secret = makeSigningSecret();
  return deps.db.transaction().execute(async (tx) => {
    const row = await tx
      .insertInto("organisation_hooks")
      .values({ organisation_id: organisationId, url, secret, created_at: deps.clock.now() })
      .returning(columns)
      .executeTakeFirstOrThrow();
    await publish(tx, organisationId, { kind: "hooks.changed" });
    return { hook: toHook(row), secret };
  });
}

/** Sends a webhook nothing more. Throws `hook_not_found`. */
export function deleteHook({ db }: Deps, { organisationId }: Actor, hookId: string): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const deleted = await tx
      .deleteFrom("organisation_hooks")
      .where("organisation_id", "=", organisationId)
      .where("id", "=", hookId)
      .returning("id")
      .executeTakeFirst();
    if (!deleted) throw new Refusal("hook_not_found");
    await publish(tx, organisationId, { kind: "hooks.changed" });
  });
}
