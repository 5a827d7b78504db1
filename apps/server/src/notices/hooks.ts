import type { AuditKind } from "@lodge/contract/dashboard/audit";
import type { CreateHook, HookList, NewHook } from "@lodge/contract/dashboard/hooks";
import { hooksMax } from "@lodge/contract/limits";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";
import type { Transaction } from "../platform/database/database.ts";
import { publish } from "../platform/database/publish.ts";
import type { Deps } from "../platform/deps.ts";
import { Refusal } from "../platform/errors.ts";
import { nameReceiver } from "../subscribers/name-receiver.ts";
import { requireReceiverUrl } from "../subscribers/receiver-url.ts";
import { overlapHours } from "../subscribers/rotate-secret.ts";
import { makeSigningSecret } from "../subscribers/sign-webhook.ts";

const columns = ["id", "url", "created_at", "previous_ends_at", "last_sent_at", "last_failure"] as const;
type Row = {
  id: string;
  url: string;
  created_at: Date;
  previous_ends_at: Date | null;
  last_sent_at: Date | null;
  last_failure: string | null;
};
const toHook = (row: Row, now: Date): HookList["hooks"][number] => ({
  id: row.id,
  url: row.url,
  createdAt: row.created_at.toISOString(),
  previousSecretEndsAt:
    row.previous_ends_at !== null && row.previous_ends_at > now ? row.previous_ends_at.toISOString() : null,
  lastSentAt: row.last_sent_at?.toISOString() ?? null,
  lastFailure: row.last_failure,
});

/** The webhooks of an organisation, the oldest first. */
export async function listHooks({ db, clock }: Deps, { organisationId }: Actor): Promise<HookList> {
  const rows = await db
    .selectFrom("organisation_hooks")
    .select(columns)
    .where("organisation_id", "=", organisationId)
    .orderBy("id")
    .execute();
  const now = clock.now();
  return { hooks: rows.map((row) => toHook(row, now)) };
}

/** Makes a webhook, its signing secret shown this once. Throws `invalid_input` or `too_many`. */
export async function createHook(deps: Deps, actor: Actor, { url }: CreateHook): Promise<NewHook> {
  const { organisationId } = actor;
  requireReceiverUrl("webhook", url);
  if ((await listHooks(deps, actor)).hooks.length >= hooksMax) throw new Refusal("too_many");
  const secret = makeSigningSecret();
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (tx) => {
    const row = await tx
      .insertInto("organisation_hooks")
      .values({ organisation_id: organisationId, url, secret, created_at: now })
      .returning(columns)
      .executeTakeFirstOrThrow();
    await noteChange(tx, actor, now, "webhook.created", url);
    return { hook: toHook(row, now), secret };
  });
}

/** Gives a webhook a new signing secret; the one before signs as well for 24 h. Throws `hook_not_found`. */
export function rotateHookSecret({ db, clock }: Deps, actor: Actor, hookId: string): Promise<{ secret: string }> {
  const secret = makeSigningSecret();
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    const rotated = await tx
      .updateTable("organisation_hooks")
      .set(({ ref }) => ({
        secret,
        previous_secret: ref("secret"),
        previous_ends_at: new Date(now.getTime() + overlapHours * 3_600_000),
      }))
      .where("organisation_id", "=", actor.organisationId)
      .where("id", "=", hookId)
      .returning("url")
      .executeTakeFirst();
    if (!rotated) throw new Refusal("hook_not_found");
    await noteChange(tx, actor, now, "webhook.secret_rotated", rotated.url);
    return { secret };
  });
}

/** Sends a webhook nothing more. Throws `hook_not_found`. */
export function deleteHook({ db, clock }: Deps, actor: Actor, hookId: string): Promise<void> {
  return db.transaction().execute(async (tx) => {
    const deleted = await tx
      .deleteFrom("organisation_hooks")
      .where("organisation_id", "=", actor.organisationId)
      .where("id", "=", hookId)
      .returning("url")
      .executeTakeFirst();
    if (!deleted) throw new Refusal("hook_not_found");
    await noteChange(tx, actor, clock.now(), "webhook.deleted", deleted.url);
  });
}

async function noteChange(
  tx: Transaction,
  actor: Actor,
  now: Date,
  kind: AuditKind & `webhook.${string}`,
  url: string,
) {
  await recordAudit(tx, actor, now, kind, { receiver: nameReceiver("webhook", url, null) });
  await publish(tx, actor.organisationId, { kind: "hooks.changed" });
}
