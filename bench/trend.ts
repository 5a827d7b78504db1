/** By how much values rise over their whole length, going by the straight line that fits them best; 0 for fewer than 3. */
export function riseOf(values: readonly number[]): number {
  if (values.length < 3) return 0;
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let covariance = 0;
  let variance = 0;
  for (const [at, value] of values.entries()) {
    covariance += (at - middle) * (value - mean);
    variance += (at - middle) ** 2;
  }
  return (covariance / variance) * (values.length - 1);
}

/**
 * Says that values rose over the second half of a run by more than a share of their mean there and more than a least amount;
 * undefined where they did not.
 */
export function describeTrend(
  what: string,
  values: readonly number[],
  { share, least }: { share: number; least: number },
): string | undefined {
  const half = values.slice(Math.floor(values.length / 2)).filter(Number.isFinite);
  const mean = half.reduce((sum, value) => sum + value, 0) / half.length;
  const rise = riseOf(half);
  if (!(rise > Math.max(least, share * mean))) return undefined;
  return `${what} rose by ${rise.toFixed(1)} over the second half, beside a mean of ${mean.toFixed(1)}`;
}
