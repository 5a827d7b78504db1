import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { PlainText } from "./plain-text.tsx";

const shownLinesMax = 30;

/** Preformatted lines in a monospaced font. Lines after the first 30 are shown on request. */
export function Log({ text }: { text: string }) {
  const [whole, setWhole] = useState(false);
  const lines = text.replace(/\n+$/, "").split("\n");
  const long = lines.length > shownLinesMax;
  const shown = whole || !long ? lines : lines.slice(0, shownLinesMax);
  return (
    <div className="overflow-hidden rounded-md border border-line bg-sunken">
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="overflow-x-auto px-3 py-2 font-mono text-xs leading-5"
      >
        <PlainText text={shown.join("\n")} asLog />
      </pre>
      {long && (
        <div className="border-t border-line p-1">
          <Button small look="quiet" aria-expanded={whole} onClick={() => setWhole(!whole)}>
            {whole ? `Show the first ${shownLinesMax} lines` : `Show all ${lines.length} lines`}
          </Button>
        </div>
      )}
    </div>
  );
}
