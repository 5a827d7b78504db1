import { Link, type LinkProps, Outlet } from "@tanstack/react-router";
import { useSession } from "../session/use-session.ts";
import { buttonClass } from "../ui/button.tsx";

const sections = [
  { to: "/organisation", label: "Organisation", isForAdmins: false },
  { to: "/members", label: "Members", isForAdmins: false },
  { to: "/labels", label: "Labels", isForAdmins: false },
  { to: "/tokens", label: "API tokens", isForAdmins: true },
  { to: "/subscribers", label: "Subscribers", isForAdmins: true },
  { to: "/hooks", label: "Webhooks", isForAdmins: true },
  { to: "/usage", label: "Usage and plan", isForAdmins: false },
  { to: "/audit", label: "Audit log", isForAdmins: true },
] as const satisfies { to: LinkProps["to"]; label: string; isForAdmins: boolean }[];

/** The sections of the settings that the person may open, above the one that is open. */
export function Settings() {
  const { organisation } = useSession();
  const open = sections.filter(({ isForAdmins }) => !isForAdmins || organisation.role !== "member");
  return (
    <>
      <nav aria-label="Settings" className="border-b border-line px-4 md:px-8">
        <div className="mx-auto flex max-w-5xl flex-wrap gap-1 py-2">
          {open.map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              className={`${buttonClass({ look: "quiet" })} aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink`}
            >
              {label}
            </Link>
          ))}
        </div>
      </nav>
      <Outlet />
    </>
  );
}
