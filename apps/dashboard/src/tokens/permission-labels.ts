import type { ApiToken } from "@lodge/contract/dashboard/tokens";

/** A permission that a token can have. */
export type Permission = ApiToken["permissions"][number];

/** What each permission allows. */
export const permissionLabels: Record<Permission, string> = {
  "tickets:write": "File tickets",
  "metrics:read": "Read metrics",
};
