import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";

/** Has dashboards fetch views again: everybody's where a view is or was shared, else the member's own. */
export const announceViews = (announce: Deps["announce"], { organisationId, userId }: Actor, shared: boolean) =>
  announce(organisationId, shared ? { kind: "projects.changed" } : { kind: "views.changed", userId });
