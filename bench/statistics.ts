/** The value below which the given fraction of the values lies; NaN if there are no values. */
export function percentile(values: readonly number[], fraction: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? Number.NaN;
}

/** The median, which a single disturbed round does not change. */
export const median = (values: readonly number[]): number => percentile(values, 0.5);

/** A number rounded to `digits` decimal places. */
export const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));
