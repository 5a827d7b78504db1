/** The permissions that an API token can have (interface section 2.1, contract sections 7 and 8). */
export const permissions = [
  "tickets:write",
  "tickets:read",
  "tickets:edit",
  "projects:read",
  "events:read",
  "problems:read",
  "problems:edit",
  "sourcemaps:write",
  "metrics:read",
] as const;
export type Permission = (typeof permissions)[number];

/** The roles of a member. */
export const memberRoles = ["owner", "admin", "member"] as const;
