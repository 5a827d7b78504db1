import type { SubscriberFilter } from "@lodge/contract/dashboard/subscribers";
import { kindLabels } from "../report-kind.tsx";

/** Which reports a filter lets through. */
export function FilterInWords({ filter }: { filter: SubscriberFilter | null }) {
  if (filter === null) return <p>All reports.</p>;
  const parts: [name: string, values: string[] | undefined][] = [
    ["Kinds", filter.kinds?.map((kind) => kindLabels[kind])],
    ["Environments", filter.environments],
    ["Versions", filter.versions],
    ["Tags", filter.tags],
    ["Error types", filter.errorTypes],
  ];
  return (
    <ul className="flex flex-col gap-1">
      {parts.map(
        ([name, values]) =>
          values && (
            <li key={name} className="wrap-anywhere">
              <span className="text-muted">{name}:</span> {values.join(", ")}
            </li>
          ),
      )}
      {filter.newProblemsOnly && <li>Only the first report of each problem</li>}
    </ul>
  );
}
