import type { ReactNode } from "react";

/** A column of the chart: bars side by side, and an optional value drawn as a line across them. */
type Column = { key: string; title: string; bars: { value: number; className: string }[]; line?: number | null };

/** The legend: the class of each mark and its meaning. */
type Legend = Record<string, string>;

/** The legend mark of a line. */
export const lineMark = "w-4 border-t-2 border-dashed border-ink";
/** The legend mark of bars in a colour. */
export const barMark = (colour: string) => `h-2.5 w-2.5 rounded-sm ${colour}`;

/** A bar chart. `label` describes it, `axis` is shown below it, and `children` is a table with the numbers. */
export function BarChart({
  label,
  columns,
  axis,
  legend = {},
  children,
}: {
  label: string;
  columns: Column[];
  axis: ReactNode;
  legend?: Legend;
  children: ReactNode;
}) {
  const values = columns.flatMap(({ bars, line }) => [...bars.map(({ value }) => value), line ?? 0]);
  const top = Math.max(1, ...values) * 1.05;
  const share = (value: number) => `${(value / top) * 100}%`;
  return (
    <figure>
      <div role="img" aria-label={label} className="flex h-40 items-end gap-1.5 border-b border-line sm:gap-3">
        {columns.map(({ key, title, bars, line }) => (
          <div key={key} title={title} className="relative flex h-full flex-1 items-end">
            {bars.map(({ value, className }) => (
              <div
                key={className}
                className={`flex-1 rounded-t-sm ${value > 0 ? "min-h-0.5" : ""} ${className}`}
                style={{ height: share(value) }}
              />
            ))}
            {line != null && (
              <div
                className="absolute inset-x-[-3px] border-t-2 border-dashed border-ink sm:inset-x-[-6px]"
                style={{ bottom: share(line) }}
              />
            )}
          </div>
        ))}
      </div>
      <div aria-hidden className="flex justify-between gap-1.5 pt-1 text-center text-xs text-muted sm:gap-3">
        {axis}
      </div>
      <figcaption className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
        {Object.entries(legend).map(([meaning, mark]) => (
          <span key={meaning} className="inline-flex items-center gap-1.5">
            <span aria-hidden className={mark} />
            {meaning}
          </span>
        ))}
      </figcaption>
      <details className="mt-3 text-sm">
        <summary className="w-fit cursor-pointer text-muted">As a table</summary>
        {children}
      </details>
    </figure>
  );
}
