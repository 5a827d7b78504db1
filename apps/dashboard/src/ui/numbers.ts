const number = new Intl.NumberFormat(undefined);
const units = ["B", "kB", "MB", "GB"];

/** A number of bytes as people say it. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  return `${number.format(value < 10 && power > 0 ? Math.round(value * 10) / 10 : Math.round(value))} ${units[power]}`;
}

/** A number of things, with its thousands told apart. */
export const formatCount = (count: number): string => number.format(count);
