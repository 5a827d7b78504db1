const monthOfYear = new Intl.DateTimeFormat(undefined, { month: "long", year: "numeric", timeZone: "UTC" });
const monthShort = new Intl.DateTimeFormat(undefined, { month: "short", timeZone: "UTC" });

const firstOf = (month: string) => new Date(`${month}-01T00:00:00Z`);

/** A calendar month, YYYY-MM, as people say it. */
export const monthInWords = (month: string): string => monthOfYear.format(firstOf(month));

/** The same, as short as it stands below a bar. */
export const monthBelowBar = (month: string): string => monthShort.format(firstOf(month));

/** The month (YYYY-MM) that comes so many after another. */
export function monthAfter(month: string, count: number): string {
  const date = firstOf(month);
  date.setUTCMonth(date.getUTCMonth() + count);
  return date.toISOString().slice(0, 7);
}
