import type { Role } from "@lodge/contract/dashboard/access";
import type { LinkProps } from "@tanstack/react-router";

const sections = [
  { to: "/organisation", label: "Organisation", isForAdmins: false },
  { to: "/members", label: "Members", isForAdmins: false },
  { to: "/labels", label: "Labels", isForAdmins: false },
  { to: "/tokens", label: "API tokens", isForAdmins: true },
  { to: "/integrations", label: "Integrations", isForAdmins: true },
  { to: "/usage", label: "Usage and plan", isForAdmins: false },
  { to: "/audit", label: "Audit log", isForAdmins: true },
] as const satisfies { to: LinkProps["to"]; label: string; isForAdmins: boolean }[];

/** The settings sections that a role can open. */
export const settingsFor = (role: Role) => sections.filter(({ isForAdmins }) => !isForAdmins || role !== "member");
