/** The modifier of global shortcuts: ⌘ on a Mac, else Ctrl. */
export const commandKey = /Mac|iP(?:hone|ad|od)/.test(navigator.platform) ? "⌘" : "Ctrl ";
