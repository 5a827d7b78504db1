/** The ways in which answers are compressed, the best first, with the endings of files that were compressed so. */
export const encodings = { br: ".br", gzip: ".gz" } as const;
export type Encoding = keyof typeof encodings;

/** The best of these encodings that a client accepts, by its Accept-Encoding; undefined for none. */
export function chooseEncoding(
  accepted: string | undefined,
  offered: readonly Encoding[] = ["br", "gzip"],
): Encoding | undefined {
  const names = (accepted ?? "")
    .split(",")
    .filter((entry) => !/;\s*q=0(\.0*)?\s*$/.test(entry))
    .map((entry) => entry.split(";", 1)[0]?.trim().toLowerCase());
  return offered.find((name) => names.includes(name));
}
