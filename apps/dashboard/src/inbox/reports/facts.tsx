import { type ReactNode, useId } from "react";

const names = new Map([
  ["id", "ID"],
  ["email", "E-mail"],
  ["os", "OS"],
  ["osVersion", "OS version"],
  ["userAgent", "User agent"],
  ["sdk", "SDK"],
]);

/** A list of facts, name by name; renders nothing if there are none. */
export function Facts({ title, facts }: { title: string; facts: Record<string, ReactNode> }) {
  const id = useId();
  const entries = Object.entries(facts);
  if (entries.length === 0) return null;
  const isOurs = title !== "Tags"; // tag names are shown as the app sent them
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="mb-1 text-sm font-semibold">
        {title}
      </h2>
      <dl className="grid grid-cols-[minmax(5rem,auto)_minmax(0,1fr)] gap-x-3 gap-y-1 text-sm">
        {entries.map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="max-w-36 text-muted wrap-anywhere">
              {isOurs ? (names.get(name) ?? capitalise(name)) : name}
            </dt>
            <dd className="wrap-anywhere whitespace-pre-wrap">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

const capitalise = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
