/**
 * Processes items, at most `atOnce` at a time. If one fails, no other is started, and it throws once those in progress
 * have ended.
 */
export async function eachAtOnce<T>(
  items: AsyncIterable<T> | Iterable<T>,
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const underWay = new Set<Promise<void>>();
  for await (const item of items) {
    if (failures.length > 0) break;
    const working: Promise<void> = work(item)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(working));
    underWay.add(working);
    if (underWay.size >= atOnce) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  if (failures.length > 0) throw failures[0];
}
