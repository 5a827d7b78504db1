/** The result of `work`, or undefined if it throws: what fails in here must stay in here. */
export function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
