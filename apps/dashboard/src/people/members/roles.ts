import type { Role } from "@lodge/contract/dashboard/access";

/** The names of the roles. */
export const roleLabels: Record<Role, string> = { owner: "Owner", admin: "Admin", member: "Member" };

/** The roles that somebody with a role may give; only an owner makes owners. */
export const grantableRoles = (role: Role): Role[] =>
  role === "owner" ? ["owner", "admin", "member"] : ["admin", "member"];
