import type { ChangeLabel, Label } from "@lodge/contract/dashboard/labels";
import { defaultLabelColor } from "@lodge/contract/label-colors";
import type { Actor } from "../../people/access/find-actor.ts";
import { recordAudit } from "../../people/audit/record-audit.ts";
import { publish } from "../../platform/database/publish.ts";
import type { Deps } from "../../platform/deps.ts";
import { Refusal } from "../../platform/errors.ts";
import { addLabel, colorLabel } from "../tickets/keep-label.ts";
import { lockLabels } from "./lock-label.ts";
import { replaceLabel } from "./replace-label.ts";

/** Renames a label, gives it another color, or both. Throws `label_not_found` or `label_name_taken`. */
export function changeLabel(
  { db, clock }: Deps,
  actor: Actor,
  { name, newName = name, color: wanted }: ChangeLabel,
): Promise<Label> {
  const { organisationId } = actor;
  return db.transaction().execute(async (tx) => {
    const colors = await lockLabels(tx, organisationId, [name]);
    const color = wanted ?? colors.get(name) ?? defaultLabelColor(name);
    if (newName === name) await colorLabel(tx, organisationId, name, color);
    else {
      if (!(await addLabel(tx, organisationId, newName, color))) throw new Refusal("label_name_taken");
      await replaceLabel(tx, organisationId, name, newName);
      await recordAudit(tx, actor, clock.now(), "label.renamed", { from: name, to: newName });
    }
    await publish(tx, organisationId, { kind: "labels.changed" });
    return { name: newName, color };
  });
}
