import type { TopProblems as Top } from "@lodge/contract/dashboard/inbox";
import { Link } from "@tanstack/react-router";
import { formatUsers, many } from "../../ui/numbers.ts";
import { Part } from "../../ui/part.tsx";
import { Time } from "../../ui/time.tsx";
import { KindMark } from "../report-kind.tsx";
import { Sparkline } from "./sparkline.tsx";

/** The newest and the most frequent problems of all apps. Renders nothing without problems. */
export function TopProblems({ newest, frequent }: Top) {
  if (newest.length === 0) return null;
  return (
    <div className="mb-8 grid gap-6 lg:grid-cols-2">
      <List title="New problems" problems={newest} at="firstSeenAt" />
      <List title="Most frequent problems" problems={frequent} at="lastSeenAt" />
    </div>
  );
}

function List({ title, problems, at }: { title: string; problems: Top["newest"]; at: "firstSeenAt" | "lastSeenAt" }) {
  return (
    <Part title={title}>
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list */}
      <ul role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
        {problems.map(({ problem, app, histogram }) => (
          <li key={problem.id} className="relative flex items-center gap-3 px-3 py-2 hover:bg-hover">
            <KindMark kind={problem.kind} />
            <div className="min-w-0 flex-1">
              <Link
                to="/problems/$problemId"
                params={{ problemId: problem.id }}
                className="line-clamp-1 font-medium wrap-anywhere after:absolute after:inset-0"
              >
                {problem.title}
              </Link>
              <p className="flex flex-wrap gap-x-3 text-sm text-muted">
                <span className="max-w-40 truncate">{app.name}</span>
                <span>{many(problem.eventCount, "report")}</span>
                <span>{formatUsers(problem)}</span>
                <Time at={problem[at]} />
              </p>
            </div>
            <Sparkline histogram={histogram} />
          </li>
        ))}
      </ul>
    </Part>
  );
}
