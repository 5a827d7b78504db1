/** The colors that labels can have. */
export const labelColors = ["gray", "red", "orange", "yellow", "green", "teal", "blue", "purple", "pink"] as const;
export type LabelColor = (typeof labelColors)[number];

/** Each color as the ticket API returns it, dark enough for white text. */
export const labelColorHex: Record<LabelColor, string> = {
  gray: "#5f635d",
  red: "#b3261e",
  orange: "#a84a0b",
  yellow: "#7a5d00",
  green: "#2a7031",
  teal: "#0b6e6e",
  blue: "#1d62b5",
  purple: "#6d4bb8",
  pink: "#a8326f",
};

/** The default color of a label, which depends only on its name. */
export const defaultLabelColor = (name: string): LabelColor => pickByText(labelColors, name);

/** Picks one of the values by a hash (FNV-1a) of a text: the same text always gets the same value. */
export function pickByText<Value>(values: readonly [Value, ...Value[]], text: string): Value {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0;
  }
  return values[hash % values.length] ?? values[0];
}
