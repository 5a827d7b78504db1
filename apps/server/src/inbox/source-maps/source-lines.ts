import type { SourceLines } from "../stacks/frame.ts";

/** The texts of a map's sources, by source; null for those that are not kept. */
export type SourceTexts = readonly (string | null)[];

/** So much of the text of a map's sources is kept, the first first, of which none is longer than the second bound. */
const textLengthMax = 8_000_000;
const sourceTextLengthMax = 1_000_000;
const linesAround = 5;
const lineLengthMax = 500;

/** The texts that are kept of a map: those that are no longer than others are, while there is room for them. */
export function boundTexts(texts: SourceTexts): SourceTexts {
  let left = textLengthMax;
  return texts.map((text) => {
    if (text === null || text.length > Math.min(left, sourceTextLengthMax)) return null;
    left -= text.length;
    return text;
  });
}

/** Finds the lines around a place, by its source and its line from 1; null for what is not kept. Each source is cut once. */
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
