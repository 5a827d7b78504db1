import type { ReactNode } from "react";

/** The heading of a section, with its actions beside it. `id` labels the section. */
export function SectionHeading({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <div className="mb-3 flex flex-wrap items-center justify-between gap-3">
      <h2 id={id} className="text-md font-semibold">
        {title}
      </h2>
      {children}
    </div>
  );
}
