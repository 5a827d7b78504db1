import type { LabelColor } from "@lodge/contract/label-colors";

/** The classes of what has one of a few colours, as labels and avatars: its text can be read on it in both themes (styles.css). */
export const toneClass = (color: LabelColor): string => `tone tone-${color}`;
