import type { Figures } from "@lodge/contract/dashboard/insights";

const hourSeconds = 3_600;
const unit = (name: "minute" | "hour" | "day", maximumFractionDigits: number) =>
  new Intl.NumberFormat(undefined, { style: "unit", unit: name, unitDisplay: "short", maximumFractionDigits });
const [minutes, hours, days] = [unit("minute", 0), unit("hour", 1), unit("day", 1)];
const week = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

/** A duration as text: minutes below an hour, hours below two days, else days. A dash for null. */
export function timeInWords(seconds: number | undefined): string {
  if (seconds === undefined) return "–";
  if (seconds < hourSeconds) return minutes.format(seconds / 60);
  return seconds < 48 * hourSeconds ? hours.format(seconds / hourSeconds) : days.format(seconds / (24 * hourSeconds));
}

/** The first day of a week. */
export const weekInWords = (startsOn: string): string => week.format(new Date(`${startsOn}T00:00:00Z`));

/** The total number of open cards. */
export const openCards = ({ openByAge }: Figures): number => openByAge.reduce((sum, cards) => sum + cards, 0);

/** The names of the age groups of open cards. */
export const agesInWords = (boundsDays: number[]): string[] => [
  ...boundsDays.map((bound, index) => {
    const from = boundsDays[index - 1];
    return from === undefined ? `Under ${days.format(bound)}` : `${from}–${days.format(bound)}`;
  }),
  `Over ${days.format(boundsDays.at(-1) ?? 0)}`,
];
