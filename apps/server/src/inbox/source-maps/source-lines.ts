import type { SourceLines } from "../stacks/frame.ts";

/** The texts of a map's sources, by index; null for those that are not stored. */
export type SourceTexts = readonly (string | null)[];

/** The stored text of a map's sources in total, first come first served, and of one source. */
const textLengthMax = 8_000_000;
const sourceTextLengthMax = 1_000_000;
const linesAround = 5;
const lineLengthMax = 500;

/** The texts to store of a map: those within the limit for one source, while there is room. */
export function boundTexts(texts: SourceTexts): SourceTexts {
  let left = textLengthMax;
  return texts.map((text) => {
    if (text === null || text.length > Math.min(left, sourceTextLengthMax)) return null;
    left -= text.length;
    return text;
  });
}

/**
 * Finds the lines around a position, by source and line from 1; null if the source is not stored. Splits each source
 * once.
 */
export function linesReader(sources: readonly (string | null)[], texts: SourceTexts) {
  const textOf = new Map(sources.flatMap((source, index) => (texts[index] ? [[source, texts[index]]] : [])));
  const cut = new Map<string, string[]>();
  const shown = (line: string) => line.slice(0, lineLengthMax);
  return (source: string, line: number): SourceLines | null => {
    const text = textOf.get(source);
    if (text === undefined) return null;
    const lines = cut.get(source) ?? text.split(/\r?\n/);
    cut.set(source, lines);
    const own = lines[line - 1];
    if (own === undefined) return null;
    return {
      before: lines.slice(Math.max(0, line - 1 - linesAround), line - 1).map(shown),
      line: shown(own),
      after: lines.slice(line, line + linesAround).map(shown),
    };
  };
}
