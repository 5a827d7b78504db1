import type { ReactNode } from "react";

type FigureRow = { key: string; name: ReactNode; cells: string[] };

/** A table of numbers by name. It scrolls horizontally if there is too little room. */
export function FigureTable({ label, head, rows }: { label: string; head: string[]; rows: FigureRow[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section aria-label={label} tabIndex={0} className="mt-2 overflow-x-auto">
      <table className={`w-full text-left text-sm ${head.length > 3 ? "" : "max-w-md"}`}>
        <thead className="text-xs text-muted">
          <tr className="border-b border-line [&>th]:py-1 [&>th]:pr-4 [&>th]:font-medium [&>th]:whitespace-nowrap">
            {head.map((name, index) => (
              <th key={name} scope="col" className={index > 0 ? "text-right" : ""}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map(({ key, name, cells }) => (
            <tr key={key}>
              <th scope="row" className="max-w-60 py-1 pr-4 font-normal">
                {name}
              </th>
              {cells.map((cell, index) => (
                <td key={head[index + 1]} className="py-1 pr-4 text-right whitespace-nowrap tabular-nums">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
