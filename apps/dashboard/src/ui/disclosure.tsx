import { ChevronRight } from "lucide-react";
import { type ReactNode, useId, useState } from "react";

/** A button that shows and hides the content below it. The content is rendered only while shown. */
export function Disclosure({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  const id = useId();
  const [open, setOpen] = useState(false);
  return (
    <div>
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="inline-flex items-center gap-1 rounded-sm text-left hover:underline"
      >
        <ChevronRight aria-hidden className={`size-4 shrink-0 text-muted ${open ? "rotate-90" : ""}`} />
        {summary}
      </button>
      <div id={id}>{open && children}</div>
    </div>
  );
}
