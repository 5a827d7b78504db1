/** The key that goes with letters for what every page has: ⌘ on a Mac, else Ctrl. */
export const commandKey = /Mac|iP(?:hone|ad|od)/.test(navigator.platform) ? "⌘" : "Ctrl ";

/** Every key of the dashboard, and what it does. Single letters can be switched off. */
export const keys: {
  keys: string[];
  does: string;
  where: "Anywhere" | "On a board" | "On a card" | "Among reports" | "In the inbox" | "Among conversations";
}[] = [
  { keys: [`${commandKey}K`], does: "Search cards and reports, go somewhere, do something", where: "Anywhere" },
  { keys: ["?"], does: "Show these keys", where: "Anywhere" },
  { keys: ["C"], does: "Write a new card", where: "On a board" },
  { keys: ["/"], does: "Filter the cards by text", where: "On a board" },
  { keys: ["J", "K"], does: "Go to the next card, and back", where: "On a board" },
  { keys: ["←", "→", "↑", "↓"], does: "Go from card to card", where: "On a board" },
  { keys: ["Space"], does: "Pick the card up, and put it down", where: "On a board" },
  { keys: ["Enter"], does: "Open the card", where: "On a board" },
  { keys: ["X"], does: "Select the card, or no longer", where: "On a board" },
  { keys: ["Shift ↑", "Shift ↓", "Shift click"], does: "Select cards from one to another", where: "On a board" },
  { keys: ["M", "A", "P", "L"], does: "Move, assign, rate or label those that are selected", where: "On a board" },
  { keys: [`${commandKey}Z`], does: "Take back what was done to them, while it says so", where: "On a board" },
  { keys: ["Esc"], does: "Select none", where: "On a board" },
  { keys: ["E"], does: "Edit the description", where: "On a card" },
  { keys: ["A"], does: "Assign it", where: "On a card" },
  { keys: ["P"], does: "Set the priority", where: "On a card" },
  { keys: ["L"], does: "Label it", where: "On a card" },
  { keys: ["M"], does: "Move it", where: "On a card" },
  { keys: ["R"], does: "Write a comment", where: "On a card" },
  { keys: [`${commandKey}Enter`], does: "Send the comment, save the description", where: "On a card" },
  { keys: ["Esc"], does: "Close it; what is being written is kept", where: "On a card" },
  { keys: ["J", "K"], does: "Go to the next entry, and back", where: "Among reports" },
  { keys: ["R"], does: "Resolve the problem", where: "Among reports" },
  { keys: ["C"], does: "Make a card of it", where: "Among reports" },
  { keys: ["J", "K"], does: "Go to the next conversation, and back", where: "Among conversations" },
  { keys: ["Enter"], does: "Open it", where: "Among conversations" },
  { keys: ["R"], does: "Answer", where: "Among conversations" },
  { keys: [`${commandKey}Enter`], does: "Send the answer", where: "Among conversations" },
  { keys: ["J", "K"], does: "Go to the next, and back", where: "In the inbox" },
  { keys: ["U"], does: "Mark it as read, or as unread", where: "In the inbox" },
];
