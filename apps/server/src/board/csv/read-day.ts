import { isDay } from "../../platform/read-time.ts";

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/** Days as written by Lodge, Trello and GitHub, by Jira (01/Mar/26), by Linear (Sun Mar 01 2026), and Mar 1, 2026. */
const patterns = [
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[T ].*)?$/,
  /^(?<day>\d{1,2})[/ -](?<month>[a-z]{3})[/ -](?<year>\d{2}|\d{4})(?: .*)?$/i,
  /^[a-z]{3} (?<month>[a-z]{3}) (?<day>\d{2}) (?<year>\d{4})(?: .*)?$/i,
  /^(?<month>[a-z]{3})[a-z]* (?<day>\d{1,2}), (?<year>\d{4})(?:,? .*)?$/i,
];

/** The day in a text, as YYYY-MM-DD; undefined if there is none, or if it is ambiguous, like 01/02/2026. */
export function readDay(text: string): string | undefined {
  for (const pattern of patterns) {
    const { year = "", month = "", day = "" } = pattern.exec(text)?.groups ?? {};
    if (year === "") continue;
    const number = /^\d+$/.test(month) ? month : `${months.indexOf(month.toLowerCase()) + 1}`;
    const found = `${year.length === 2 ? `20${year}` : year}-${number.padStart(2, "0")}-${day.padStart(2, "0")}`;
    return isDay(found) ? found : undefined;
  }
  return undefined;
}
