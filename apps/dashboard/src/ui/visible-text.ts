const invisible = /^[\s\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0]*$/u;

/** Whether a text is invisible: empty, or only spaces and zero-width characters. */
export const isInvisible = (text: string): boolean => invisible.test(text);

/** A title as displayed, with a placeholder for an invisible one so that it can be clicked. */
export const shownTitle = (title: string): string => (isInvisible(title) ? "(no title)" : title);
