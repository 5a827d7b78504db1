import { listAudit } from "@lodge/contract/calls.generated";
import type { AuditLog } from "@lodge/contract/dashboard/organisation";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { call } from "../../api/call.ts";
import { keyOf } from "../../api/query.ts";
import { useSession } from "../../session/use-session.ts";
import { MoreButton } from "../../ui/more-button.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { aboutInWords, kindInWords } from "./audit-words.ts";

/** The audit log: changes in the organisation with time and author. Only for owners and admins. */
export function AuditPage() {
  const { organisation } = useSession();
  return (
    <main className="mx-auto max-w-3xl px-4 py-8 md:px-8">
      <PageHeading
        title={organisation.role === "member" ? "The audit log is for owners and admins" : "Audit log"}
        hint={
          <Link to="/organisation" className="text-accent-ink underline underline-offset-2">
            Organisation
          </Link>
        }
      />
      {organisation.role !== "member" && <Entries />}
    </main>
  );
}

function Entries() {
  const log = useInfiniteQuery({
    queryKey: keyOf(listAudit, { query: {} }),
    queryFn: ({ pageParam }) => call(listAudit, { query: pageParam ? { cursor: pageParam } : {} }),
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? [];
  return (
    <>
      {log.isPending && (
        <div aria-busy>
          <p className="sr-only">Loading the audit log</p>
          <Skeleton className="h-40" />
        </div>
      )}
      {log.isError && !log.data && <LoadError error={log.error} retry={() => void log.refetch()} />}
      {log.data && entries.length === 0 && (
        <Empty title="No entries yet">
          Changes to apps, keys, tokens, members, repositories and the plan are recorded here.
        </Empty>
      )}
      {entries.length > 0 && (
        // biome-ignore lint/a11y/noRedundantRoles: Safari does not announce a list without bullets as a list
        <ul role="list" className="divide-y divide-line rounded-lg border border-line bg-surface">
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ul>
      )}
      <MoreButton pages={log} className="mt-4">
        Show earlier entries
      </MoreButton>
    </>
  );
}

function Entry({ entry: { kind, who, at, details } }: { entry: AuditLog["entries"][number] }) {
  return (
    <li className="flex flex-wrap items-baseline gap-x-4 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-72">
        <p>
          <span className="font-medium">{kindInWords(kind)}</span>
          {who && <span className="text-muted"> by {who}</span>}
        </p>
        <dl className="flex flex-wrap gap-x-3 text-sm text-muted">
          {aboutInWords(details).map(([name, value]) => (
            <div key={name} className="flex min-w-0 gap-1">
              <dt>{name}:</dt>
              <dd className="min-w-0 wrap-anywhere text-ink">{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <span className="text-sm text-muted">
        <ExactTime at={at} />
      </span>
    </li>
  );
}
