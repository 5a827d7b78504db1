import { formatCount } from "../../ui/numbers.ts";

/** "1 card" or "1,200 cards". */
export const cardsInWords = (count: number): string => (count === 1 ? "1 card" : `${formatCount(count)} cards`);

/** The first names, and how many more there are. */
export const namesInWords = ({ count, names }: { count: number; names: readonly string[] }): string =>
  `${names.join(", ")}${count > names.length ? ` and ${formatCount(count - names.length)} more` : ""}`;
