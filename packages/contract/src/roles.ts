import { ticketsWrite } from "./tickets.ts";

/** The permissions that an API token can have. */
export const permissions = [ticketsWrite, "metrics:read"] as const;

/** The roles of a member. */
export const memberRoles = ["owner", "admin", "member"] as const;
