const monthOfYear = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });
const monthShort = new Intl.DateTimeFormat(undefined, { month: "short", timeZone: "UTC" });

const firstOf = (month: string) => new Date(`${month}-01T00:00:00Z`);

/** The name of a calendar month, given as YYYY-MM. */
export const monthInWords = (month: string): string => monthOfYear.format(firstOf(month));

/** The short name of a month, for the axis of a chart. */
export const monthBelowBar = (month: string): string => monthShort.format(firstOf(month));

/** The month (YYYY-MM) that is `count` months after another. */
export function monthAfter(month: string, count: number): string {
  const date = firstOf(month);
  date.setUTCMonth(date.getUTCMonth() + count);
  return date.toISOString().slice(0, 7);
}
