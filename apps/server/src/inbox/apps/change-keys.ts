import type { SdkKey } from "@lodge/contract/dashboard/apps";
import type { AuditKind } from "@lodge/contract/dashboard/audit";
import { sdkKeysMax } from "@lodge/contract/limits";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { isUniqueViolation, type Transaction } from "../../platform/database/database.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { lockApp } from "./lock-app.ts";
import { makeSdkKey } from "./sdk-key.ts";
import { readKeys } from "./show-app.ts";

/** Creates an SDK key for an app. Throws `app_not_found`, `key_name_taken` or `too_many`. */
export async function createKey(deps: Deps, actor: Actor, appId: string, { name }: { name: string }): Promise<SdkKey> {
  try {
    return await changeKeys(deps, actor, appId, "key.created", async (tx, now) => {
      const id = await insertKey(tx, appId, name, now);
      return { result: await readKey(deps, tx, appId, id, now), key: name };
    });
  } catch (error) {
    throw isUniqueViolation(error) ? new Refusal("key_name_taken") : error;
  }
}

/**
 * Creates another key with the same name. The old key is still accepted for `overlapDays`, because apps with a built-in
 * key are updated one by one. Throws `key_not_found` or `too_many`.
 */
export function rotateKey(
  deps: Deps,
  actor: Actor,
  { appId, keyId }: { appId: string; keyId: string },
  { overlapDays }: { overlapDays: number },
): Promise<SdkKey> {
  return changeKeys(deps, actor, appId, "key.rotated", async (tx, now) => {
    const endsAt = new Date(now.getTime() + overlapDays * 86_400_000);
    const replaced = await tx
      .updateTable("sdk_keys")
      .set({ revoked_at: endsAt })
      .where("app_id", "=", appId)
      .where("id", "=", keyId)
      .where("revoked_at", "is", null)
      .returning("name")
      .executeTakeFirst();
    if (!replaced) throw new Refusal("key_not_found");
    const id = await insertKey(tx, appId, replaced.name, now);
    return { result: await readKey(deps, tx, appId, id, now), key: replaced.name, endsAt: endsAt.toISOString() };
  });
}

/** Revokes an SDK key: it is refused immediately at every endpoint. Throws `key_not_found`. */
export function revokeKeyOfApp(
  deps: Deps,
  actor: Actor,
  { appId, keyId }: { appId: string; keyId: string },
): Promise<void> {
  return changeKeys(deps, actor, appId, "key.revoked", async (tx, now) => {
    const revoked = await tx
      .updateTable("sdk_keys")
      .set({ revoked_at: now })
      .where("app_id", "=", appId)
      .where("id", "=", keyId)
      .where((make) => make.or([make("revoked_at", "is", null), make("revoked_at", ">", now)]))
      .returning("name")
      .executeTakeFirst();
    if (!revoked) throw new Refusal("key_not_found");
    return { result: undefined, key: revoked.name };
  });
}

type Changed<T> = { result: T; key: string; endsAt?: string };

/** Changes the keys of an app in one transaction, records it in the audit log, and notifies dashboards. */
function changeKeys<T>(
  { db, clock }: Deps,
  actor: Actor,
  appId: string,
  kind: AuditKind & `key.${string}`,
  work: (tx: Transaction, now: Date) => Promise<Changed<T>>,
): Promise<T> {
  return db.transaction().execute(async (tx) => {
    const { name: app } = await lockApp(tx, actor, appId).catch((error: unknown) => {
      throw kind === "key.created" ? error : asKeyNotFound(error);
    });
    const now = clock.now();
    const { result, ...details } = await work(tx, now);
    await recordAudit(tx, actor, now, kind, { app, ...details });
    await publish(tx, actor.organisationId, { kind: "apps.changed" });
    return result;
  });
}

const asKeyNotFound = (error: unknown) =>
  error instanceof Refusal && error.code === "app_not_found" ? new Refusal("key_not_found") : error;

async function insertKey(tx: Transaction, appId: string, name: string, now: Date): Promise<string> {
  const { count } = await tx
    .selectFrom("sdk_keys")
    .select((make) => make.fn.countAll<number>().as("count"))
    .where("app_id", "=", appId)
    .where((make) => make.or([make("revoked_at", "is", null), make("revoked_at", ">", now)]))
    .executeTakeFirstOrThrow();
  if (count >= sdkKeysMax) throw new Refusal("too_many");
  const { id } = await tx
    .insertInto("sdk_keys")
    .values({ app_id: appId, name, key: makeSdkKey(), created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

async function readKey({ urls }: Deps, tx: Transaction, appId: string, id: string, now: Date): Promise<SdkKey> {
  const [key] = await readKeys(tx, urls, appId, now, id);
  if (!key) throw new Error("a key that was just made is gone");
  return key;
}
