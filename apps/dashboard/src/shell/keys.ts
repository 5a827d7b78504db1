import { commandKey } from "./command-key.ts";

/** Every key of the dashboard, and what it does. Single letters can be switched off. */
export const keys: {
  keys: string[];
  does: string;
  where: "Anywhere" | "On a board" | "On a card" | "Among reports" | "In notifications" | "Among conversations";
}[] = [
  { keys: [`${commandKey}K`], does: "Search cards and reports, open pages, run commands", where: "Anywhere" },
  { keys: ["Backspace", "Esc"], does: "Back from a list of choices in the search", where: "Anywhere" },
  { keys: ["?"], does: "Show keyboard shortcuts", where: "Anywhere" },
  { keys: ["C"], does: "Create a card", where: "On a board" },
  { keys: ["/"], does: "Filter the cards by text", where: "On a board" },
  { keys: ["J", "K"], does: "Next and previous card", where: "On a board" },
  { keys: ["←", "→", "↑", "↓"], does: "Move between cards", where: "On a board" },
  { keys: ["Space"], does: "Pick up or put down the card", where: "On a board" },
  { keys: ["Enter"], does: "Open the card", where: "On a board" },
  { keys: ["X"], does: "Select or deselect the card", where: "On a board" },
  { keys: ["Shift ↑", "Shift ↓", "Shift click"], does: "Select a range of cards", where: "On a board" },
  { keys: ["M", "A", "P", "L"], does: "Move, assign, prioritise or label the selected cards", where: "On a board" },
  { keys: [`${commandKey}K`], does: "Run a command on the card in focus or the selected cards", where: "On a board" },
  { keys: [`${commandKey}Z`], does: "Undo the last change of cards", where: "Anywhere" },
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
  { keys: ["J", "K"], does: "Next and previous entry", where: "Among reports" },
  { keys: ["R"], does: "Resolve the problem", where: "Among reports" },
  { keys: ["C"], does: "Create a card from it", where: "Among reports" },
  { keys: ["J", "K"], does: "Next and previous conversation", where: "Among conversations" },
  { keys: ["Enter"], does: "Open it", where: "Among conversations" },
  { keys: ["R"], does: "Answer", where: "Among conversations" },
  { keys: [`${commandKey}Enter`], does: "Send the answer", where: "Among conversations" },
  { keys: ["J", "K"], does: "Next and previous notification", where: "In notifications" },
  { keys: ["U"], does: "Mark as read or unread", where: "In notifications" },
];
