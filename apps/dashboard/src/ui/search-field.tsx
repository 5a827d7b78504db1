import { Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { controlClass } from "./field.tsx";

const typingMs = 250;

/** A search field for a page. Reports the text once typing pauses. `label` says what it searches. */
export function SearchField({
  label,
  lengthMax,
  text,
  onChange,
  shortcut,
  className = "",
}: {
  label: string;
  lengthMax: number;
  text: string;
  onChange: (text: string) => void;
  /** The shortcut that focuses it. */
  shortcut?: string;
  className?: string;
}) {
  const [typed, setTyped] = useState(text);
  const shown = useRef(text);
  useEffect(() => {
    if (shown.current !== text) setTyped(text); // changed from outside: cleared, or by going back
    shown.current = text;
  }, [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing starts the debounce
  useEffect(() => {
    if (typed === shown.current) return;
    const timer = setTimeout(() => {
      shown.current = typed;
      onChange(typed);
    }, typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <div className={`relative ${className}`}>
      <Search aria-hidden className="pointer-events-none absolute top-2 left-2.5 size-4 text-muted" />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={lengthMax}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className={`peer ${controlClass} h-8 pl-8`}
      />
      {shortcut && (
        <kbd
          aria-hidden
          className="pointer-events-none absolute top-2 right-2.5 font-sans text-xs text-muted peer-not-placeholder-shown:hidden peer-focus:hidden @max-2xl:hidden"
        >
          {shortcut}
        </kbd>
      )}
    </div>
  );
}
