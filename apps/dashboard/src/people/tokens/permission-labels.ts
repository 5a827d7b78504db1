import type { ApiToken } from "@lodge/contract/dashboard/tokens";

/** A permission that a token can have. */
export type Permission = ApiToken["permissions"][number];

export const permissionLabels: Record<Permission, string> = {
  "tickets:write": "File tickets",
  "tickets:read": "Read tickets",
  "tickets:edit": "Change, comment on and close tickets",
  "projects:read": "List projects, boards, columns and members",
  "events:read": "List the events of all apps",
  "problems:read": "Read problems and their events",
  "problems:edit": "Resolve, reopen and mute problems",
  "sourcemaps:write": "Upload source maps",
  "metrics:read": "Read metrics",
};

/**
 * The permissions that an admin can give a token. Permissions that only the operator gives appear if the token has
 * them.
 */
export const grantable = (before: readonly Permission[]): Permission[] =>
  (Object.keys(permissionLabels) as Permission[]).filter(
    (permission) => permission !== "metrics:read" || before.includes(permission),
  );
