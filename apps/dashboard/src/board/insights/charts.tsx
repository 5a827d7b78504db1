import type { Figures, Insights } from "@lodge/contract/dashboard/insights";
import { BarChart, barMark, lineMark } from "../../ui/bar-chart.tsx";
import { formatCount, many } from "../../ui/numbers.ts";
import { FigureTable } from "./figure-table.tsx";
import { agesInWords, openCards, timeInWords, weekInWords } from "./figures.ts";

type Weeks = { weeks: Insights["weeks"] };

const createdColour = "bg-line-strong";
const doneColour = "bg-accent";

const WeekAxis = ({ weeks }: Weeks) => (
  <>
    <span>{weekInWords(weeks[0]?.startsOn ?? "")}</span>
    <span>This week</span>
  </>
);

/** The cards created and done in each week. */
export function CreatedAndDone({ weeks }: Weeks) {
  const sum = (field: "created" | "done") => weeks.reduce((total, week) => total + week[field], 0);
  return (
    <BarChart
      label={`${many(sum("created"), "card")} created and ${formatCount(sum("done"))} done in ${weeks.length} weeks. The table below has the numbers for each week.`}
      columns={weeks.map(({ startsOn, created, done }) => ({
        key: startsOn,
        title: `Week of ${weekInWords(startsOn)}: ${formatCount(created)} created, ${formatCount(done)} done`,
        bars: [
          { value: created, className: createdColour },
          { value: done, className: doneColour },
        ],
      }))}
      axis={<WeekAxis weeks={weeks} />}
      legend={{ Created: barMark(createdColour), Done: barMark(doneColour) }}
    >
      <FigureTable
        label="Cards created and done by week"
        head={["Week of", "Created", "Done"]}
        rows={weeks.map(({ startsOn, created, done }) => ({
          key: startsOn,
          name: weekInWords(startsOn),
          cells: [formatCount(created), formatCount(done)],
        }))}
      />
    </BarChart>
  );
}

/** The cycle time, from created to done, of the cards done in each week. */
export function CycleTimeChart({ weeks }: Weeks) {
  return (
    <BarChart
      label="Cycle time (from created to done) of the cards done in each week. The table below has the numbers."
      columns={weeks.map(({ startsOn, cycleTime }) => ({
        key: startsOn,
        title: `Week of ${weekInWords(startsOn)}: ${cycleTime ? `median ${timeInWords(cycleTime.medianSeconds)}, 90th percentile ${timeInWords(cycleTime.p90Seconds)}` : "no cards done"}`,
        bars: [{ value: cycleTime?.medianSeconds ?? 0, className: doneColour }],
        line: cycleTime?.p90Seconds ?? null,
      }))}
      axis={<WeekAxis weeks={weeks} />}
      legend={{ "Median cycle time": barMark(doneColour), "90th percentile": lineMark }}
    >
      <FigureTable
        label="Cycle time by week"
        head={["Week of", "Median", "90th percentile"]}
        rows={weeks.map(({ startsOn, cycleTime }) => ({
          key: startsOn,
          name: weekInWords(startsOn),
          cells: [timeInWords(cycleTime?.medianSeconds), timeInWords(cycleTime?.p90Seconds)],
        }))}
      />
    </BarChart>
  );
}

/** The age of the open cards. */
export function OpenAges({ total, boundsDays }: { total: Figures; boundsDays: number[] }) {
  const ages = agesInWords(boundsDays).map((name, index) => ({ name, cards: total.openByAge[index] ?? 0 }));
  return (
    <BarChart
      label={`${many(openCards(total), "open card")} by age. The table below has the numbers.`}
      columns={ages.map(({ name, cards }) => ({
        key: name,
        title: `${name}: ${formatCount(cards)}`,
        bars: [{ value: cards, className: doneColour }],
      }))}
      axis={ages.map(({ name }) => (
        <span key={name} className="flex-1">
          {name}
        </span>
      ))}
    >
      <FigureTable
        label="Open cards by age"
        head={["Age", "Open cards"]}
        rows={ages.map(({ name, cards }) => ({ key: name, name, cells: [formatCount(cards)] }))}
      />
    </BarChart>
  );
}
