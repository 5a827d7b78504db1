/** The result of `work`, or undefined if it throws: errors of the SDK must not reach the app. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
