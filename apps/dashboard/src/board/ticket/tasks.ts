/** The start of a list item that is a task. */
export const taskMark = /^\[([ xX])\]\s+(?=\S)/;

/** The text with the task on a line, counted from 0, ticked or unticked. */
export function withTask(text: string, line: number, done: boolean): string {
  const lines = text.split(/(\r\n?|\n)/); // keeps the line endings
  const index = 2 * line;
  lines[index] = lines[index]?.replace(/\[[ xX]\]/, done ? "[x]" : "[ ]") ?? "";
  return lines.join("");
}
