import type { LabelColor } from "@lodge/contract/label-colors";

/** The classes of a label or avatar colour, with readable text in both themes (styles.css). */
export const toneClass = (color: LabelColor): string => `tone tone-${color}`;
