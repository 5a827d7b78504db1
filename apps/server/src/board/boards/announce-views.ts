import type { Actor } from "../../people/access/find-actor.ts";
import type { Deps } from "../../platform/deps.ts";

/** Makes dashboards fetch views again: everybody's if a view is or was shared, otherwise only the member's own. */
export const announceViews = (announce: Deps["announce"], { organisationId, userId }: Actor, shared: boolean) =>
  announce(organisationId, shared ? { kind: "projects.changed" } : { kind: "views.changed", userId });
