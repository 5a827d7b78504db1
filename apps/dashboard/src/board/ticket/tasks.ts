/** The start of a list item that is a task. */
export const taskMark = /^\[([ xX])\]\s+(?=\S)/;

/** A text whose task on a line, counted from 0, is ticked, or no longer. */
export function withTask(text: string, line: number, done: boolean): string {
  const lines = text.split(/(\r\n?|\n)/); // with what ends them between
  const index = 2 * line;
  lines[index] = lines[index]?.replace(/\[[ xX]\]/, done ? "[x]" : "[ ]") ?? "";
  return lines.join("");
}
