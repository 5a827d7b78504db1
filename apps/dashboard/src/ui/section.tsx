import type { ReactNode } from "react";

/** A section of a page with a heading and its actions. */
export function Section({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title} className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-4">
      <div className="flex min-h-8 flex-wrap items-center justify-between gap-2">
        <h2 className="text-md font-semibold">{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
