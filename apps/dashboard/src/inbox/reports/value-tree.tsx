import { ChevronRight } from "lucide-react";
import { useState } from "react";
import { Button } from "../../ui/button.tsx";
import { LongText } from "../../ui/long-text.tsx";

const shownStep = 100;

/** A JSON value as a tree. Nested values are rendered when opened, and the first hundred members are shown. */
export function ValueTree({ value }: { value: unknown }) {
  if (typeof value !== "object" || value === null) return <Leaf value={value} />;
  return <Members value={value} />;
}

function Members({ value }: { value: object }) {
  const [shown, setShown] = useState(shownStep);
  const entries = Object.entries(value);
  return (
    <>
      <ul className="font-mono text-xs leading-5">
        {entries.slice(0, shown).map(([name, member]) => (
          <li key={name}>
            <Member name={name} value={member as unknown} />
          </li>
        ))}
      </ul>
      {entries.length > shown && (
        <Button small look="quiet" onClick={() => setShown(shown + shownStep)}>
          Show {Math.min(shownStep, entries.length - shown)} more of {entries.length}
        </Button>
      )}
    </>
  );
}

function Member({ name, value }: { name: string; value: unknown }) {
  const [open, setOpen] = useState(false);
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    return (
      <div className="flex flex-wrap gap-x-2 pl-5">
        <Name name={name} />
        <Leaf value={value} />
      </div>
    );
  }
  return (
    <>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex max-w-full items-center gap-1 rounded-sm text-left hover:bg-hover"
      >
        <ChevronRight aria-hidden className={`size-4 shrink-0 text-muted ${open ? "rotate-90" : ""}`} />
        <Name name={name} />
        <span className="shrink-0 text-muted">{sizeOf(value)}</span>
      </button>
      {open && (
        <div className="ml-2 border-l border-line pl-2">
          <Members value={value} />
        </div>
      )}
    </>
  );
}

const Name = ({ name }: { name: string }) => (
  <span className="min-w-0 text-accent-ink wrap-anywhere">{name.slice(0, 200) || '""'}:</span>
);

function Leaf({ value }: { value: unknown }) {
  if (typeof value === "string") return <LongText text={value} className="min-w-0" />;
  return <span className="text-muted">{JSON.stringify(value)}</span>;
}

const sizeOf = (value: object) => (Array.isArray(value) ? `[${value.length}]` : `{${Object.keys(value).length}}`);
