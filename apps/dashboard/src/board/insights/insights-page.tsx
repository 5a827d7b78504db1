import { getBoardInsights } from "@lodge/contract/calls.generated";
import type { Insights } from "@lodge/contract/dashboard/insights";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { isRefused } from "../../api/call.ts";
import { projectsQuery } from "../../api/queries.ts";
import { query } from "../../api/query.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Choice } from "../../ui/choice.tsx";
import { NotFound } from "../../ui/not-found.tsx";
import { Empty, LoadError } from "../../ui/notice.tsx";
import { formatCount } from "../../ui/numbers.ts";
import { PageHeading } from "../../ui/page-heading.tsx";
import { Section } from "../../ui/section.tsx";
import { Skeleton } from "../../ui/skeleton.tsx";
import { CreatedAndDone, CycleTimeChart, OpenAges } from "./charts.tsx";
import { openCards, timeInWords } from "./figures.ts";
import { Split } from "./split.tsx";

const staleMs = 60_000;
const periods = [
  { value: "12", label: "Last 12 weeks" },
  { value: "26", label: "Last 26 weeks" },
] as const;

/** The insights of a board: cards created and done, cycle time, and the age of open cards. */
export function InsightsPage() {
  const { boardId } = useParams({ from: "/signed-in/boards/$boardId/insights" });
  const { weeks } = useSearch({ from: "/signed-in/boards/$boardId/insights" }) as { weeks?: unknown };
  const navigate = useNavigate();
  const period = weeks === 26 ? "26" : "12";
  const insights = useQuery({
    ...query(getBoardInsights, { params: { boardId }, query: { weeks: period } }),
    staleTime: staleMs,
  });
  const projects = useQuery(projectsQuery);
  const board = projects.data?.flatMap(({ boards }) => boards).find(({ id }) => id === boardId);
  if (isRefused(insights.error, "board_not_found")) return <NotFound what="board" />;
  return (
    <main className="mx-auto max-w-6xl px-4 py-6 md:px-8">
      <nav aria-label="Breadcrumb" className="mb-2 text-sm text-muted">
        <Link
          to="/boards/$boardId"
          params={{ boardId }}
          className="rounded-sm wrap-anywhere hover:text-ink hover:underline"
        >
          {board?.name ?? "Board"}
        </Link>
      </nav>
      <PageHeading
        title="Insights"
        hint="Weeks start on Monday (UTC). Archived cards are included in Created and, if they were done, in Done, but not in Open. Cards in the trash are not counted. A reopened card is open until it is done again."
      >
        <Choice
          label="Period"
          options={[...periods]}
          value={period}
          onChange={(chosen) =>
            void navigate({
              to: "/boards/$boardId/insights",
              params: { boardId },
              search: (chosen === "26" ? { weeks: 26 } : {}) as never,
              replace: true,
            })
          }
        />
      </PageHeading>
      {insights.isPending && (
        <div aria-busy className="flex flex-col gap-6">
          <p className="sr-only">Loading the insights</p>
          <Skeleton className="h-20" />
          <Skeleton className="h-72" />
        </div>
      )}
      {insights.isError && !insights.data && <LoadError error={insights.error} retry={() => void insights.refetch()} />}
      {insights.data && <Figures boardId={boardId} insights={insights.data} />}
    </main>
  );
}

function Figures({ boardId, insights }: { boardId: string; insights: Insights }) {
  const { total, weeks } = insights;
  if (total.created + total.done + openCards(total) === 0) {
    return (
      <Empty
        title="No figures yet"
        action={
          <Link to="/boards/$boardId" params={{ boardId }} className={buttonClass()}>
            Open the board
          </Link>
        }
      >
        This page will show the cards created and done each week, and how long they take. Create a card on the board to
        begin.
      </Empty>
    );
  }
  return (
    <div className="flex flex-col gap-6">
      <dl className="grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Figure name="Created" value={formatCount(total.created)} />
        <Figure name="Done" value={formatCount(total.done)} />
        <Figure name="Median cycle time" value={timeInWords(total.cycleTime?.medianSeconds)} />
        <Figure name="Open now" value={formatCount(openCards(total))} />
      </dl>
      <Section title="Created and done">
        <CreatedAndDone weeks={weeks} />
      </Section>
      <Section title="Cycle time">
        {total.cycleTime ? (
          <CycleTimeChart weeks={weeks} />
        ) : (
          <p className="text-muted">
            No card was done in these weeks. A card is done when it is in the board's done column or resolved.
          </p>
        )}
      </Section>
      <Section title="Age of open cards">
        <OpenAges total={total} boundsDays={insights.ageBoundsDays} />
      </Section>
      <Split insights={insights} />
    </div>
  );
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className="rounded-lg border border-line bg-surface px-4 py-3">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className="text-lg font-semibold tabular-nums">{value}</dd>
    </div>
  );
}
