import type { DeleteLabel } from "@lodge/contract/dashboard/labels";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { lockLabels } from "./lock-label.ts";
import { replaceLabel } from "./replace-label.ts";

/** Removes a label from all tickets. Throws `label_not_found`. */
export function deleteLabel({ db, clock }: Deps, actor: Actor, { name }: DeleteLabel): Promise<void> {
  const { organisationId } = actor;
  return db.transaction().execute(async (tx) => {
    await lockLabels(tx, organisationId, [name]);
    await replaceLabel(tx, organisationId, name, null);
    await recordAudit(tx, actor, clock.now(), "label.deleted", { label: name });
    await publish(tx, organisationId, { kind: "labels.changed" });
  });
}
