import type { AuditKind } from "@lodge/contract/dashboard/audit";
import type { ChangeHook, CreateHook, HookList, NewHook, TicketType } from "@lodge/contract/dashboard/hooks";
import { hooksMax } from "@lodge/contract/limits";
import { type SealingKeys, seal, Unreadable, unseal } from "../../platform/config/seal.ts";
import { makeId, type Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { nameReceiver } from "../../platform/outbound/name-receiver.ts";
import { sealAddress, showAddress } from "../../platform/outbound/receiver-address.ts";
import { requireReceiverUrl } from "../../platform/outbound/receiver-url.ts";
import { makeSigningSecret, overlapHours } from "../../platform/outbound/sign-webhook.ts";
import type { Actor } from "../access/find-actor.ts";
import { recordAudit } from "../audit/record-audit.ts";

const columns = [
  ...(["id", "url", "sealed_url", "created_at", "previous_ends_at", "last_sent_at", "last_failure"] as const),
  ...(["ticket_types", "project_ids", "enabled", "disabled_reason"] as const),
] as const;
type Row = {
  id: string;
  url: string;
  sealed_url: string | null;
  created_at: Date;
  previous_ends_at: Date | null;
  last_sent_at: Date | null;
  last_failure: string | null;
  ticket_types: string[];
  project_ids: string[] | null;
  enabled: boolean;
  disabled_reason: string | null;
};
const toHook = ({ sealing }: Deps, row: Row, now: Date): HookList["hooks"][number] => ({
  id: row.id,
  url: showAddress(sealing, "organisation_hooks.sealed_url", row),
  createdAt: row.created_at.toISOString(),
  previousSecretEndsAt:
    row.previous_ends_at !== null && row.previous_ends_at > now ? row.previous_ends_at.toISOString() : null,
  lastSentAt: row.last_sent_at?.toISOString() ?? null,
  lastFailure: row.last_failure,
  ticketTypes: row.ticket_types as TicketType[],
  projectIds: row.project_ids,
  enabled: row.enabled,
  disabledReason: row.disabled_reason,
});

/** The webhooks of an organisation, the oldest first. */
export async function listHooks(deps: Deps, { organisationId }: Actor): Promise<HookList> {
  const rows = await deps.db
    .selectFrom("organisation_hooks")
    .select(columns)
    .where("organisation_id", "=", organisationId)
    .orderBy("id")
    .execute();
  const now = deps.clock.now();
  return { hooks: rows.map((row) => toHook(deps, row, now)) };
}

/**
 * Creates a webhook and returns its signing secret, which is shown only once. Throws `invalid_input`, `too_many` or
 * `project_not_found`.
 */
export async function createHook(
  deps: Deps,
  actor: Actor,
  { url, ticketTypes = [], projectIds = null }: CreateHook,
): Promise<NewHook> {
  const { organisationId } = actor;
  requireReceiverUrl("webhook", url);
  if ((await listHooks(deps, actor)).hooks.length >= hooksMax) throw new Refusal("too_many");
  const secret = makeSigningSecret();
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (tx) => {
    await requireProjects(tx, organisationId, projectIds);
    const id = await makeId(tx);
    const address = sealAddress(() => deps.sealing, "organisation_hooks.sealed_url", id, "webhook", url);
    const sealed = seal(deps.sealing, "organisation_hooks.secret", id, secret);
    const row = await tx
      .insertInto("organisation_hooks")
      .values({
        organisation_id: organisationId,
        id,
        ...address,
        secret: sealed,
        created_at: now,
        ticket_types: ticketTypes,
        project_ids: projectIds,
      })
      .returning(columns)
      .executeTakeFirstOrThrow();
    await noteChange(tx, actor, now, "webhook.created", url);
    return { hook: toHook(deps, row, now), secret };
  });
}

/** Changes a webhook's ticket events, or enables or disables it. Throws `hook_not_found` or `project_not_found`. */
export function changeHook(
  deps: Deps,
  actor: Actor,
  hookId: string,
  { ticketTypes, projectIds, enabled }: ChangeHook,
): Promise<HookList["hooks"][number]> {
  const now = deps.clock.now();
  return deps.db.transaction().execute(async (tx) => {
    if (projectIds) await requireProjects(tx, actor.organisationId, projectIds);
    const changed = await tx
      .updateTable("organisation_hooks")
      .set({
        id: hookId,
        ...(ticketTypes && { ticket_types: ticketTypes }),
        ...(projectIds !== undefined && { project_ids: projectIds }),
        ...(enabled !== undefined && { enabled, disabled_at: enabled ? null : now, disabled_reason: null }),
        ...(enabled && { consecutive_failures: 0, failing_since: null, paused_until: null }),
      })
      .where("organisation_id", "=", actor.organisationId)
      .where("id", "=", hookId)
      .returning(columns)
      .executeTakeFirst();
    if (!changed) throw new Refusal("hook_not_found");
    await noteChange(tx, actor, now, "webhook.changed", changed.url);
    return toHook(deps, changed, now);
  });
}

/** Throws `project_not_found` if one is not the organisation's. */
async function requireProjects(tx: Transaction, organisationId: string, projectIds: readonly string[] | null) {
  if (projectIds === null) return;
  const found = await tx
    .selectFrom("projects")
    .select("id")
    .where("organisation_id", "=", organisationId)
    .where("id", "in", projectIds)
    .execute();
  if (found.length < new Set(projectIds.map((id) => id.toLowerCase())).size) throw new Refusal("project_not_found");
}

/** Gives a webhook a new signing secret; the previous one also signs for 24 h. Throws `hook_not_found`. */
export function rotateHookSecret(
  { db, clock, sealing }: Deps,
  actor: Actor,
  hookId: string,
): Promise<{ secret: string }> {
  const secret = makeSigningSecret();
  const now = clock.now();
  return db.transaction().execute(async (tx) => {
    const before = await tx
      .selectFrom("organisation_hooks")
      .select("secret")
      .where("organisation_id", "=", actor.organisationId)
      .where("id", "=", hookId)
      .forUpdate()
      .executeTakeFirst();
    if (!before) throw new Refusal("hook_not_found");
    const replaced = reseal(sealing, hookId, before.secret);
    const rotated = await tx
      .updateTable("organisation_hooks")
      .set({
        secret: seal(sealing, "organisation_hooks.secret", hookId, secret),
        previous_secret: replaced,
        previous_ends_at: replaced && new Date(now.getTime() + overlapHours * 3_600_000),
      })
      .where("organisation_id", "=", actor.organisationId)
      .where("id", "=", hookId)
      .returning("url")
      .executeTakeFirst();
    if (!rotated) throw new Refusal("hook_not_found");
    await noteChange(tx, actor, now, "webhook.secret_rotated", rotated.url);
    return { secret };
  });
}

/** Encrypts a secret again as the previous one; null if it can no longer be decrypted. */
function reseal(keys: SealingKeys, hookId: string, secret: string): string | null {
  try {
    return seal(
      keys,
      "organisation_hooks.previous_secret",
      hookId,
      unseal(keys, "organisation_hooks.secret", hookId, secret),
    );
  } catch (error) {
    if (error instanceof Unreadable) return null;
    throw error;
  }
}

/** Deletes a webhook, which is then sent nothing. Throws `hook_not_found`. */
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
