import { useNavigate } from "@tanstack/react-router";
import { Building2, Check, ChevronsUpDown, Keyboard, LogOut, Monitor, Moon, Sun, UserRound } from "lucide-react";
import type { ReactNode } from "react";
import { signOut } from "../session/sign-out.ts";
import { useSession } from "../session/use-session.ts";
import { Avatar } from "../ui/avatar.tsx";
import { DropMenu, MenuGroup, MenuItem, MenuLine } from "../ui/menu.tsx";
import { showOverlay } from "../ui/overlay.ts";
import { chooseTheme, type Theme, useTheme } from "../ui/theme.ts";

const themes: [Theme, string, ReactNode][] = [
  ["system", "System", <Monitor key="system" aria-hidden className="size-4" />],
  ["light", "Light", <Sun key="light" aria-hidden className="size-4" />],
  ["dark", "Dark", <Moon key="dark" aria-hidden className="size-4" />],
];

/** The person's menu: theme, profile, new organisation, keyboard shortcuts, and signing out. */
export function PersonMenu() {
  const { user } = useSession();
  const chosen = useTheme();
  const navigate = useNavigate();
  return (
    <DropMenu
      trigger={
        <button type="button" className="flex h-10 w-full min-w-0 items-center gap-2 rounded-md px-2 hover:bg-hover">
          <Avatar name={user.name} />
          <span className="min-w-0 flex-1 truncate text-left">
            {user.name}
            <span className="sr-only"> account menu</span>
          </span>
          <ChevronsUpDown aria-hidden className="size-4 shrink-0 text-muted" />
        </button>
      }
    >
      <p className="truncate px-2 py-1 text-sm text-muted">{user.email}</p>
      <MenuLine />
      <MenuGroup label="Theme">
        {themes.map(([theme, label, icon]) => (
          <MenuItem key={theme} onClick={() => chooseTheme(theme)}>
            {icon}
            <span className="flex-1">{label}</span>
            {theme === chosen && <Check aria-label="(chosen)" className="size-4 text-accent-ink" />}
          </MenuItem>
        ))}
      </MenuGroup>
      <MenuLine />
      <MenuItem onClick={() => void navigate({ to: "/profile" })}>
        <UserRound aria-hidden className="size-4" />
        Profile
      </MenuItem>
      <MenuItem onClick={() => showOverlay("organisation")}>
        <Building2 aria-hidden className="size-4" />
        New organisation
      </MenuItem>
      <MenuItem shortcut="?" onClick={() => showOverlay("keys")}>
        <Keyboard aria-hidden className="size-4" /> Keyboard shortcuts
      </MenuItem>
      <MenuItem onClick={() => void signOut()}>
        <LogOut aria-hidden className="size-4" />
        Sign out
      </MenuItem>
    </DropMenu>
  );
}
