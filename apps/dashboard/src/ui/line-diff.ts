/** A line of a diff: in both texts, only in the earlier one (`removed`) or only in the later one (`added`). */
export type DiffLine = { kind: "same" | "removed" | "added"; text: string };

const tableEntriesMax = 1_000_000;

/**
 * The diff of two texts by lines. It is as short as possible. If the differing parts are so long that this would take too
 * much memory, all their old lines are removed and all their new lines are added.
 */
export function lineDiff(before: string, after: string): DiffLine[] {
  const old = before.split("\n");
  const now = after.split("\n");
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const same = (lines: string[]): DiffLine[] => lines.map((text) => ({ kind: "same", text }));
  return [
    ...same(old.slice(0, start)),
    ...middle(old.slice(start, old.length - end), now.slice(start, now.length - end)),
    ...same(old.slice(old.length - end)),
  ];
}

function middle(old: string[], now: string[]): DiffLine[] {
  const width = now.length + 1;
  const removed = (text: string): DiffLine => ({ kind: "removed", text });
  const added = (text: string): DiffLine => ({ kind: "added", text });
  if ((old.length + 1) * width > tableEntriesMax) return [...old.map(removed), ...now.map(added)];
  // The length of the longest common subsequence from each pair of lines to the end.
  const common = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number) => common[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--) {
    for (let column = now.length - 1; column >= 0; column--) {
      common[row * width + column] =
        old[row] === now[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const lines: DiffLine[] = [];
  let row = 0;
  let column = 0;
  while (row < old.length || column < now.length) {
    const [before, after] = [old[row], now[column]];
    if (before !== undefined && before === after) {
      lines.push({ kind: "same", text: before });
      row++;
      column++;
    } else if (before !== undefined && (after === undefined || at(row + 1, column) >= at(row, column + 1))) {
      lines.push(removed(before));
      row++;
    } else {
      lines.push(added(after ?? ""));
      column++;
    }
  }
  return lines;
}
