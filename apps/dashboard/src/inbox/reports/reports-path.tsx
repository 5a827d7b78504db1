import { Link } from "@tanstack/react-router";

const linkClass = "rounded-sm hover:text-ink hover:underline";

/** The breadcrumb of the Reports pages. */
export function ReportsPath({ app }: { app?: { id: string; name: string } }) {
  return (
    <nav aria-label="Breadcrumb" className="mb-2 flex flex-wrap gap-x-1.5 text-sm text-muted">
      <Link to="/reports" className={linkClass}>
        Reports
      </Link>
      {app && (
        <>
          <span aria-hidden>/</span>
          <Link to="/reports/$appId" params={{ appId: app.id }} className={`${linkClass} wrap-anywhere`}>
            {app.name}
          </Link>
        </>
      )}
    </nav>
  );
}
