import type { Figures, Insights } from "@lodge/contract/dashboard/insights";
import type { ReactNode } from "react";
import { formatCount } from "../../ui/numbers.ts";
import { Section } from "../../ui/section.tsx";
import { Author } from "../ticket/author.tsx";
import { LabelColors, LabelName } from "../ticket/label-name.tsx";
import { FigureTable } from "./figure-table.tsx";
import { agesInWords, openCards, timeInWords } from "./figures.ts";

/** The board's figures by author and by label. */
export function Split({ insights }: { insights: Insights }) {
  const { authors, otherAuthors, labels, otherLabels, unlabelled, ageBoundsDays } = insights;
  const ages = agesInWords(ageBoundsDays).map((age) => `Open ${age.toLowerCase()}`);
  const head = ["Created", "Done", "Median cycle time", "90th percentile", "Open", ...ages];
  const row = (key: string, name: ReactNode, { created, done, cycleTime, ...open }: Figures) => ({
    key,
    name,
    cells: [
      formatCount(created),
      formatCount(done),
      timeInWords(cycleTime?.medianSeconds),
      timeInWords(cycleTime?.p90Seconds),
      formatCount(openCards({ created, done, cycleTime, ...open })),
      ...open.openByAge.map(formatCount),
    ],
  });
  return (
    <>
      <Section title="By author">
        <FigureTable
          label="Figures by author"
          head={["Author", ...head]}
          rows={[
            ...authors.map((author) =>
              row(`${author.kind} ${author.id ?? author.name}`, <Author author={author} />, author),
            ),
            ...(otherAuthors ? [row("other", "All others", otherAuthors)] : []),
          ]}
        />
      </Section>
      <Section title="By label">
        <p className="text-sm text-muted">A card counts for each of its labels.</p>
        <LabelColors>
          <FigureTable
            label="Figures by label"
            head={["Label", ...head]}
            rows={[
              ...labels.map((label) =>
                row(
                  `label ${label.name}`,
                  <LabelName name={label.name} className="inline-block truncate px-2 align-bottom" />,
                  label,
                ),
              ),
              ...(otherLabels ? [row("other", "All others", otherLabels)] : []),
              ...(unlabelled ? [row("none", "No label", unlabelled)] : []),
            ]}
          />
        </LabelColors>
      </Section>
    </>
  );
}
