/** The compressions of responses, best first, with the extension of precompressed files. */
export const encodings = { br: ".br", gzip: ".gz" } as const;
export type Encoding = keyof typeof encodings;

/** The best of these encodings in a client's Accept-Encoding; undefined if it accepts none. */
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
