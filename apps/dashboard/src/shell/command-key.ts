/** The key that goes with letters for what every page has: ⌘ on a Mac, else Ctrl. */
export const commandKey = /Mac|iP(?:hone|ad|od)/.test(navigator.platform) ? "⌘" : "Ctrl ";
