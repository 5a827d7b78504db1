const partLength = 6;
/** A part is rare if a smaller share of the sample contains one of its trigrams. */
const rareShare = 0.05;
/** The number of texts of each kind, and of characters of each text, in a sample. */
export const sampled = 100;
export const sampledLengthMax = 1_000;
/** The number of characters to look at. */
const charactersMax = 24;

/** The state of a text before a sample is read. */
const unsampled = { isRare: false, sixGram: null };

/** The LIKE pattern for texts that contain a text. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

/**
 * A part of a text, and whether it is rare, so that an index returns few rows; false if that is not known. `sixGram` is
 * the key for an index of six-grams; null if the part has none or is not rare.
 */
export type Part = { part: string; isRare: boolean; sixGram: string | null };

/**
 * The part of a text to search in an index: the six consecutive letters or digits whose trigrams are rarest in a
 * sample, or the whole text if it has none. The last of equally rare parts wins, since texts often start alike.
 * `readSample` reads the start of a few hundred texts. An index of trigrams reads a list for each trigram, which is
 * long for a common one however rare the text is; an index of six-grams reads one short list
 * (docs/decisions/search.md).
 */
export async function rarestPart(text: string, readSample: () => Promise<readonly { text: string }[]>): Promise<Part> {
  const characters = [...text].slice(0, charactersMax);
  const trigrams = characters.slice(2).map((_, at) => characters.slice(at, at + 3).join(""));
  const parts = trigrams
    .map((_, at) => ({ at, part: characters.slice(at, at + partLength).join("") }))
    .filter(({ part }) => /^[\p{L}\p{N}]{6}$/u.test(part));
  if (parts.length === 0) return { ...unsampled, part: text };
  const sample = (await readSample()).map((row) => row.text.toLowerCase());
  if (sample.length === 0) return { ...unsampled, part: text };
  const shares = trigrams.map((trigram) => shareOf(sample, trigram.toLowerCase()));
  const sharesOf = (at: number) => shares.slice(at, at + partLength - 2);
  const costOf = (at: number) => sharesOf(at).reduce((sum, share) => sum + share, 0);
  const { at, part } = parts.reduce((best, next) => (costOf(next.at) <= costOf(best.at) ? next : best));
  const isRare = Math.min(...sharesOf(at)) < rareShare;
  return { part, isRare, sixGram: isRare && /^[a-z0-9]{6}$/i.test(part) ? part.toLowerCase() : null };
}

const shareOf = (sample: readonly string[], trigram: string) =>
  sample.filter((text) => text.includes(trigram)).length / sample.length;
