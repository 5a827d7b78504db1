import { useState } from "react";
import { Button } from "./button.tsx";

const shownMax = 1_000;

/** An untrusted text with its line breaks and no links. A long one is truncated until the person asks for all of it. */
export function LongText({ text, className = "" }: { text: string; className?: string }) {
  const [whole, setWhole] = useState(false);
  const isCut = !whole && text.length > shownMax;
  return (
    <div className={`wrap-anywhere whitespace-pre-wrap ${className}`}>
      {isCut ? `${text.slice(0, shownMax).toWellFormed()}…` : text}
      {isCut && (
        <Button small look="quiet" className="ml-1 font-sans" onClick={() => setWhole(true)}>
          Show all
        </Button>
      )}
    </div>
  );
}
