import { memo } from "react";

const blockLines = 100;
/** The maximum number of characters of a text that a page shows. */
export const shownLengthMax = 262_144;
const shownLinesMax = 10_000;

/**
 * A text with numbered lines in a scrolling box. Only the visible part is laid out, so that thousands of lines cost no
 * more than a screenful, but the browser's search finds all lines. `isCut` says that the text is truncated.
 */
export const Lines = memo(function Lines({
  label,
  text,
  isCut = false,
}: {
  label: string;
  text: string;
  isCut?: boolean;
}) {
  const all = text
    .slice(0, shownLengthMax)
    .replace(/\n$/, "")
    .split("\n", shownLinesMax + 1);
  const lines = all.slice(0, shownLinesMax);
  const blocks = Array.from({ length: Math.ceil(lines.length / blockLines) }, (_, index) =>
    lines.slice(index * blockLines, (index + 1) * blockLines),
  );
  return (
    <>
      <section
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="max-h-96 overflow-auto rounded-md border border-line bg-sunken"
      >
        <div className="py-2 font-mono text-xs leading-5">
          {blocks.map((block, index) => (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text have no other key
              key={index}
              className="[content-visibility:auto]"
              style={{
                containIntrinsicSize: `auto ${block.length * 20}px`,
                counterReset: `line ${index * blockLines}`,
              }}
            >
              {block.map((line, lineIndex) => (
                <div
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  key={lineIndex}
                  className="relative min-h-5 pr-3 pl-14 wrap-anywhere whitespace-pre-wrap [counter-increment:line] before:absolute before:left-0 before:w-11 before:text-right before:text-muted before:content-[counter(line)] before:select-none"
                >
                  {line}
                </div>
              ))}
            </div>
          ))}
        </div>
      </section>
      {(isCut || text.length > shownLengthMax || all.length > shownLinesMax) && (
        <p className="mt-1 text-xs text-muted">Only the start is shown. Download or copy it to see the rest.</p>
      )}
    </>
  );
});
