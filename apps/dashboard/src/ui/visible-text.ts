const invisible = /^[\s\p{Cc}\p{Cf}\p{Zs}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0]*$/u;

/** Whether nothing of a text can be seen: it is empty, or blanks and characters without a width. */
export const isInvisible = (text: string): boolean => invisible.test(text);

/** A title as it is shown: one that cannot be seen has something to click all the same. */
export const shownTitle = (title: string): string => (isInvisible(title) ? "(no title)" : title);
