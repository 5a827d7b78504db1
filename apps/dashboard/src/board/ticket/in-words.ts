/** "1 card" or "3 cards". */
export const inWords = (count: number) => (count === 1 ? "1 card" : `${count} cards`);
