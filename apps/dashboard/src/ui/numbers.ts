const number = new Intl.NumberFormat(undefined);
const units = ["B", "kB", "MB", "GB"];

/** A readable size, such as “1.5 MB”. */
export function formatBytes(bytes: number): string {
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  return `${number.format(value < 10 && power > 0 ? Math.round(value * 10) / 10 : Math.round(value))} ${units[power]}`;
}

/** A count with thousands separators. */
export const formatCount = (count: number): string => number.format(count);

/** A count with its noun, such as “1 report” or “1,200 reports”. */
export const many = (count: number, noun: string): string => `${formatCount(count)} ${plural(count, noun)}`;

/** The same for a count that the server stops at 10,000: “10,000 or more reports”. */
export const manyCounted = (count: number, noun: string): string =>
  count < 10_000 ? many(count, noun) : `${formatCount(count)} or more ${plural(count, noun)}`;

const plural = (count: number, noun: string) => (count === 1 ? noun : `${noun}s`);

type UserCount = { userCount: number; isUserCountExact: boolean };

/** The number of affected users: "1 user", "9,120 users", or "~12,400 users" if it is an estimate. */
export const formatUsers = (users: UserCount): string =>
  `${formatUserCount(users)} ${users.userCount === 1 ? "user" : "users"}`;

/** The number without “users”. */
export const formatUserCount = ({ userCount, isUserCountExact }: UserCount): string =>
  `${isUserCountExact ? "" : "~"}${formatCount(userCount)}`;
