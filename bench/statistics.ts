/** The value below which the given fraction of the values lies; NaN where there are none. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}

/** The middle value: what one round that another program disturbed does not move. */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** A number rounded to so many digits after the point. */
export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
