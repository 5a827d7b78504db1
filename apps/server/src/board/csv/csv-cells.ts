/** The start of a formula in spreadsheets, after any apostrophes before it. */
const formula = /^'*[=+\-@\t\r＝＋－＠]/;

/**
 * A row of CSV (RFC 4180). A cell that a spreadsheet would run as a formula gets a leading apostrophe, which `readCell`
 * removes.
 */
export const writeRow = (cells: readonly string[]): string => `${cells.map(writeCell).join(",")}\r\n`;

function writeCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** The text of a cell before `writeRow` protected it. */
export const readCell = (cell: string): string => (cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell);

/** Labels as one cell; labels with a comma or a quote are quoted. */
export const writeLabels = (labels: readonly string[]): string =>
  labels.map((label) => (/[",]/.test(label) ? `"${label.replaceAll('"', '""')}"` : label)).join(", ");

/** The names in a cell, separated by commas; names may be quoted. */
export const readNames = (cell: string): string[] =>
  [...cell.matchAll(/\s*(?:"((?:[^"]|"")*)"(?=\s*(?:,|$))|([^,]+))/g)]
    .map(([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain.trim())
    .filter((name) => name !== "");
