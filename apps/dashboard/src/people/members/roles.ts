import type { Role } from "@lodge/contract/dashboard/access";

/** The names of the roles. */
export const roleLabels: Record<Role, string> = { owner: "Owner", admin: "Admin", member: "Member" };

/** The roles that a person with a role can assign. Only owners can make others owners. */
export const grantableRoles = (role: Role): Role[] =>
  role === "owner" ? ["owner", "admin", "member"] : ["admin", "member"];
