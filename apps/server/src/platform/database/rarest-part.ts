const partLength = 6;
/** A part is rare where a smaller share of the sample has one of its trigrams. */
const rareShare = 0.05;
/** So many texts of each kind, and so many characters of each text, are sample enough. */
export const sampled = 100;
export const sampledLengthMax = 1_000;
/** Characters beyond these are not looked at: the first ones have rare parts enough. */
const lookedAtMax = 24;

/** The state of a text before a sample is read. */
const unsampled = { isRare: false, sixGram: null };

/** The pattern of LIKE for what contains a text. */
export const containing = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

/**
 * A part of a text, and whether few have it, so that an index finds little of it; false where that is not known. `sixGram` is
 * what an index of six-grams is to be asked for instead, null where it does not know the part, or it is not rare.
 */
export type Part = { part: string; isRare: boolean; sixGram: string | null };

/**
 * The part of a text that indexes are to be asked for, which whatever contains the text has too: the six letters or digits in
 * a row whose trigrams are the rarest in a sample, or the whole text where it has none. Of equally rare ones it is the last,
 * since texts often begin alike. `readSample` reads a few hundred texts, or what they begin with. An index of trigrams reads a
 * list for each that it is asked for, and that of a common one is long however rare the text is; one of six-grams reads a
 * short list (docs/decisions/search.md).
 */
export async function rarestPart(text: string, readSample: () => Promise<readonly { text: string }[]>): Promise<Part> {
  const characters = [...text].slice(0, lookedAtMax);
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
