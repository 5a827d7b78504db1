import type { MergeLabel } from "@lodge/contract/dashboard/labels";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { invalidInput } from "../../platform/errors.ts";
import { lockLabels } from "./lock-label.ts";
import { replaceLabel } from "./replace-label.ts";

/** Merges a label into another one, which keeps its color. Throws `label_not_found` or `invalid_input`. */
export function mergeLabel({ db, clock }: Deps, actor: Actor, { name, into }: MergeLabel): Promise<void> {
  const { organisationId } = actor;
  if (name === into) throw invalidInput([{ path: "/into", message: "must be another label" }]);
  return db.transaction().execute(async (tx) => {
    await lockLabels(tx, organisationId, [name, into]);
    await replaceLabel(tx, organisationId, name, into);
    await recordAudit(tx, actor, clock.now(), "label.merged", { label: name, into });
    await publish(tx, organisationId, { kind: "labels.changed" });
  });
}
