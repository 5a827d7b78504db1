import { useEffect, useState, useSyncExternalStore } from "react";
import { changeSignal } from "../api/external-store.ts";

const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const dayOfYear = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: "auto", style: "short" });
const steps = [
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
] as const;
const relativeMaxMs = 7 * 86_400_000;

/** A time in the reader's locale: relative within a week, else the date. Its title is the timestamp. */
export function Time({ at }: { at: string }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={at}>
      {inWords(new Date(at))}
    </time>
  );
}

/** A date and time in the reader's locale. */
export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {moment.format(new Date(at))}
    </time>
  );
}

function inWords(date: Date): string {
  const ms = date.getTime() - Date.now();
  if (Math.abs(ms) > relativeMaxMs) return dayOfYear.format(date);
  for (const [unit, size] of steps) if (Math.abs(ms) >= size) return relative.format(Math.trunc(ms / size), unit);
  return "just now";
}

const ages = [
  ["y", 31_536_000_000],
  ["w", 604_800_000],
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
] as const;

/** The time since a timestamp in its shortest form, such as “3 d”. Empty within the first minute. */
function ageOf(at: string): string {
  const ms = Date.now() - Date.parse(at);
  for (const [unit, size] of ages) if (ms >= size) return `${Math.floor(ms / size)} ${unit}`;
  return "";
}

const everyMinute = changeSignal();
setInterval(everyMinute.emit, 60_000);

/** The age in its shortest form, with `ago` followed by “ago”. Its title is the date and time. */
export function Age({ since, ago = false }: { since: string; ago?: boolean }) {
  const age = useSyncExternalStore(everyMinute.listen, () => ageOf(since));
  return (
    <time dateTime={since} title={moment.format(new Date(since))}>
      {age ? `${age}${ago ? " ago" : ""}` : "now"}
    </time>
  );
}

/** A date in the reader's locale, without the year if it is the current one. */
export function Day({ date }: { date: string }) {
  return (
    <time dateTime={date} title={date}>
      {formatDay(date)}
    </time>
  );
}

/** The same date as plain text. */
export function formatDay(date: string): string {
  const local = new Date(`${date}T00:00`);
  return (local.getFullYear() === new Date().getFullYear() ? day : dayOfYear).format(local);
}

/** Today as YYYY-MM-DD, in the browser's time zone. */
export function today(): string {
  const now = new Date();
  const two = (value: number) => String(value).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}
