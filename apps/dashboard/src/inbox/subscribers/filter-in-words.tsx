import type { SubscriberFilter } from "@lodge/contract/dashboard/subscribers";
import { kindLabels } from "../report-kind.tsx";

/** The reports that match a filter, as text. */
export function FilterInWords({ filter }: { filter: SubscriberFilter | null }) {
  if (filter === null) return <p>All reports.</p>;
  const parts: [name: string, values: string[] | undefined][] = [
    ["Kinds", filter.kinds?.map((kind) => kindLabels[kind])],
    ["Environments", filter.environments],
    ["Versions", filter.versions],
    ["Tags", filter.tags],
    ["Error types", filter.errorTypes],
  ];
  const { firstOfProblem = filter.newProblemsOnly, back, spike } = filter;
  const news = [
    firstOfProblem && "the first report of each problem",
    back && "reports that reopen a resolved problem",
    spike && `the report that takes a problem over ${spike.events} reports within ${spike.minutes} min`,
  ].filter((one) => !!one);
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
      {news.length > 0 && <li>Only {news.join(", or ")}</li>}
    </ul>
  );
}
