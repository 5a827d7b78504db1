import { Link, Outlet, useLocation } from "@tanstack/react-router";
import { settingsFor } from "../session/settings-sections.ts";
import { useSession } from "../session/use-session.ts";
import { buttonClass } from "../ui/button.tsx";

/** The navigation between the settings that the person can open, above the open one. */
export function Settings() {
  const { organisation } = useSession();
  const isIntegration = useLocation({ select: ({ pathname }) => /^\/(subscribers|hooks)\b/.test(pathname) });
  return (
    <>
      <nav aria-label="Settings" className="border-b border-line px-4 md:px-8">
        <div className="mx-auto flex max-w-5xl flex-wrap gap-1 py-2">
          {settingsFor(organisation.role).map(({ to, label }) => (
            <Link
              key={to}
              to={to}
              {...(isIntegration && to === "/integrations" && { "aria-current": "page" as const })}
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
