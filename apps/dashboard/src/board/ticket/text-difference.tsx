import { lineDiff } from "../../ui/line-diff.ts";

const looks = {
  same: { sign: " ", say: "", className: "text-muted" },
  removed: { sign: "−", say: "Removed: ", className: "bg-danger-soft text-danger-ink" },
  added: { sign: "+", say: "Added: ", className: "bg-accent-soft text-accent-ink" },
};
const aroundLines = 2;

/** The line-by-line difference of two texts, with two lines of context around each change. */
export function TextDifference({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = lineDiff(before, after);
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - aroundLines), index + aroundLines + 1).some(({ kind }) => kind !== "same"),
  );
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
      tabIndex={0}
      className="max-h-64 overflow-auto rounded-md border border-line font-mono text-xs leading-5"
    >
      {lines.map(({ kind, text }, index) => {
        const { sign, say, className } = looks[kind];
        if (!near[index]) return null;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a line has no other key
          <p key={index} className={`flex gap-2 px-2 whitespace-pre-wrap ${className}`}>
            <span aria-hidden className="select-none">
              {sign}
            </span>
            <span className="min-w-0 wrap-anywhere">
              {say && <span className="sr-only">{say}</span>}
              {text}
            </span>
          </p>
        );
      })}
    </section>
  );
}
