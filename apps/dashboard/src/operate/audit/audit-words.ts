import type { AuditKind } from "@lodge/contract/dashboard/audit";

const kinds: Record<AuditKind, string> = {
  "ingestion.suspended": "Reports refused",
  "ingestion.suspension_prolonged": "Reports still refused",
  "ingestion.resumed": "Reports accepted again",
  "allowance.changed": "Plan or limit changed",
  "month.struck_out": "Month excluded",
  "app.created": "App created",
  "app.changed": "App changed",
  "app.deleted": "App deleted",
  "key.created": "SDK key created",
  "key.rotated": "SDK key replaced",
  "key.revoked": "SDK key revoked",
  "token.created": "API token created",
  "token.changed": "API token changed",
  "token.revoked": "API token revoked",
  "runner.created": "Runner created",
  "runner.revoked": "Runner revoked",
  "subscriber.created": "Subscriber created",
  "subscriber.changed": "Subscriber changed",
  "subscriber.confirmation_sent": "Subscriber confirmation sent",
  "subscriber.paused": "Subscriber disabled",
  "subscriber.enabled": "Subscriber enabled",
  "subscriber.secret_rotated": "Subscriber's secret rotated",
  "subscriber.deleted": "Subscriber deleted",
  "subscriber.replay_started": "Replay started",
  "subscriber.tested": "Test message sent",
  "webhook.created": "Webhook created",
  "webhook.changed": "Webhook changed",
  "webhook.secret_rotated": "Webhook's secret rotated",
  "webhook.deleted": "Webhook deleted",
  "member.invited": "Member invited",
  "invitation.revoked": "Invitation revoked",
  "member.changed": "Role changed",
  "member.removed": "Member removed",
  "second_factor.removed": "Second factor removed",
  "identity_provider.set": "Identity provider set up",
  "identity_provider.removed": "Identity provider removed",
  "identity.linked": "Account linked with the identity provider",
  "identity.unlinked": "Account unlinked from the identity provider",
  "member.joined": "Member joined",
  "password_link.made": "Password link created",
  "sign_in.changed": "Sign-in rules changed",
  "organisation.renamed": "Organisation renamed",
  "repository.bound": "Repository added",
  "repository.unbound": "Repository removed",
  "label.renamed": "Label renamed",
  "label.merged": "Labels merged",
  "label.deleted": "Label deleted",
  "board.deleted": "Board deleted",
  "project.deleted": "Project deleted",
  "reports.erased": "Reports deleted",
  "ticket.deleted": "Card deleted",
  "ticket.purged": "Card deleted permanently",
  "tickets.imported": "Cards imported",
  "tickets.import_undone": "Import undone",
};

/** The name of a kind of audit entry; an unknown kind is shown as its code. */
export const kindInWords = (kind: string): string => (kind in kinds ? kinds[kind as AuditKind] : kind);

/** The details of an entry as names and values, without the empty ones. */
export const aboutInWords = (details: Record<string, unknown>): [string, string][] =>
  Object.entries(details)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => [name.replace(/([A-Z])/g, " $1").toLowerCase(), valueInWords(value)]);

function valueInWords(value: unknown): string {
  if (typeof value !== "object" || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(valueInWords).join(", ");
  const { from, to, ...others } = value as Record<string, unknown>;
  if (Object.keys(others).length === 0 && (from !== undefined || to !== undefined))
    return `${valueInWords(from ?? "none")} → ${valueInWords(to ?? "none")}`;
  return Object.entries(value)
    .filter(([, each]) => each !== null && each !== undefined)
    .map(([name, each]) => `${name} ${valueInWords(each)}`)
    .join(", ");
}
