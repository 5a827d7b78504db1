import { commandKey } from "./command-key.ts";

/** The keyboard shortcuts of the dashboard. Single-key shortcuts can be turned off. */
export const keys: {
  keys: string[];
  does: string;
  where: "Anywhere" | "On a board" | "On a card" | "In reports" | "In notifications" | "In conversations";
}[] = [
  { keys: [`${commandKey}K`], does: "Search cards and reports, open pages, run commands", where: "Anywhere" },
  { keys: ["Backspace", "Esc"], does: "Go back in search", where: "Anywhere" },
  { keys: ["?"], does: "Show keyboard shortcuts", where: "Anywhere" },
  { keys: ["C"], does: "Create a card", where: "On a board" },
  { keys: ["/"], does: "Filter the cards by text", where: "On a board" },
  { keys: ["J", "K"], does: "Next and previous card", where: "On a board" },
  { keys: ["←", "→", "↑", "↓"], does: "Move between cards", where: "On a board" },
  { keys: ["Space"], does: "Pick up or drop the card", where: "On a board" },
  { keys: ["Enter"], does: "Open the card", where: "On a board" },
  { keys: ["X"], does: "Select or deselect the card", where: "On a board" },
  { keys: ["Shift ↑", "Shift ↓", "Shift click"], does: "Select a range of cards", where: "On a board" },
  { keys: ["M", "A", "P", "L"], does: "Move, assign, prioritise or label the selected cards", where: "On a board" },
  { keys: [`${commandKey}K`], does: "Run a command on the card in focus or the selected cards", where: "On a board" },
  { keys: [`${commandKey}Z`], does: "Undo the last change to cards", where: "Anywhere" },
  { keys: ["Esc"], does: "Clear the selection", where: "On a board" },
  { keys: ["E"], does: "Edit the description", where: "On a card" },
  { keys: ["A"], does: "Assign it", where: "On a card" },
  { keys: ["P"], does: "Set the priority", where: "On a card" },
  { keys: ["L"], does: "Label it", where: "On a card" },
  { keys: ["M"], does: "Move it", where: "On a card" },
  { keys: ["R"], does: "Write a comment", where: "On a card" },
  { keys: [`${commandKey}K`], does: "Run a command on the card", where: "On a card" },
  { keys: [`${commandKey}Enter`], does: "Send the comment, save the description", where: "On a card" },
  { keys: ["Esc"], does: "Close it (unsaved text is kept)", where: "On a card" },
  { keys: ["J", "K"], does: "Next and previous entry", where: "In reports" },
  { keys: ["R"], does: "Resolve the problem", where: "In reports" },
  { keys: ["C"], does: "Create a card from it", where: "In reports" },
  { keys: ["J", "K"], does: "Next and previous conversation", where: "In conversations" },
  { keys: ["Enter"], does: "Open it", where: "In conversations" },
  { keys: ["R"], does: "Reply", where: "In conversations" },
  { keys: [`${commandKey}Enter`], does: "Send the reply", where: "In conversations" },
  { keys: ["J", "K"], does: "Next and previous notification", where: "In notifications" },
  { keys: ["U"], does: "Mark as read or unread", where: "In notifications" },
];
