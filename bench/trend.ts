/** The rise of values over their whole length, from a linear regression; 0 for fewer than 3 values. */
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
 * A message if values rose over the second half of a run by more than a share of their mean and more than a minimum;
 * undefined if they did not.
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
