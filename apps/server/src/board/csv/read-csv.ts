import { isUtf8 } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import { csvColumnsMax, csvRowsMax } from "@lodge/contract/limits";
import { type CsvError, type Info, parse } from "csv-parse";
import { Refusal } from "../../platform/errors.ts";
import { readCell } from "./csv-cells.ts";

/** A row of a file and the line where it starts. */
type CsvRow = { line: number; cells: string[] };
/** A file as it was sent: the cells of its header and rows, without the apostrophes that protect formulas. */
export type CsvFile = { header: string[]; rows: CsvRow[] };

/** The bytes parsed at a time, before other work gets its turn. */
const sliceBytes = 16_384;
/** No card's row is longer; an unclosed quote would make one row of the rest of the file. */
const rowBytesMax = 262_144;
const newline = 0x0a;

/** The refusal of a whole file, or of a line in it. */
const invalidCsv = (message: string, line?: number): Refusal =>
  new Refusal("invalid_csv", { details: [{ path: line === undefined ? "" : `/lines/${line}`, message }] });

/**
 * Reads a CSV file in UTF-8 whose separator, as its first line shows, is a comma, semicolon or tab. Empty rows are
 * skipped. Throws `invalid_csv`, with the line, if the file is broken or has too many rows or columns.
 */
export async function readCsv(file: Buffer): Promise<CsvFile> {
  refuseOtherEncodings(file);
  const rows: CsvRow[] = [];
  const parser = parse({
    bom: true,
    delimiter: delimiterOf(file),
    info: true,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  let wrong: Error | undefined;
  const refuse = (error: Error) => {
    wrong ??= error;
  };
  parser.on("error", (error: CsvError) => refuse(asRefusal(error)));
  parser.on("data", ({ record, info }: { record: string[]; info: Info }) => {
    if (record.every((cell) => cell.trim() === "")) return;
    // The parser reports the line where a row ends.
    const line = info.lines - (record.join("").match(/\r\n|\n|\r/g)?.length ?? 0);
    if (record.length > csvColumnsMax) refuse(invalidCsv(`The line has more than ${csvColumnsMax} cells.`, line));
    if (rows.length > csvRowsMax) refuse(invalidCsv(`The file has more than ${csvRowsMax} rows. Split it.`));
    rows.push({ line, cells: record.map(readCell) });
  });
  let rowBytes = 0;
  for (let offset = 0; offset < file.length && !wrong; offset += sliceBytes) {
    const before = parser.info.records + parser.info.empty_lines;
    const slice = file.subarray(offset, offset + sliceBytes);
    await new Promise<void>((resolve) => parser.write(slice, () => resolve()));
    rowBytes = parser.info.records + parser.info.empty_lines > before ? 0 : rowBytes + slice.length;
    if (rowBytes > rowBytesMax) refuse(tooLong((rows.at(-1)?.line ?? 0) + 1));
    await setImmediate();
  }
  if (!wrong)
    await new Promise<void>((resolve) =>
      parser
        .end()
        .once("end", resolve)
        .once("error", () => resolve()),
    );
  parser.destroy();
  if (wrong) throw wrong;
  const [header, ...others] = rows;
  if (!header) throw invalidCsv("The file is empty.");
  if (others.length === 0) throw invalidCsv("The file has a header, but no rows.");
  return { header: header.cells.map((cell) => cell.trim()), rows: others };
}

const tooLong = (line: number) =>
  invalidCsv(
    `The row that begins here is longer than ${rowBytesMax / 1024} KiB. A closing quote may be missing.`,
    line,
  );

function refuseOtherEncodings(file: Buffer): void {
  const [first, second] = file;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw invalidCsv("The file is UTF-16. Save it as CSV in UTF-8.");
  }
  const nul = file.indexOf(0);
  if (nul >= 0) throw invalidCsv("The line has a NUL character. Save the file as CSV in UTF-8.", lineAt(file, nul));
  if (!isUtf8(file)) throw invalidCsv("The file is not valid UTF-8. Save it as CSV in UTF-8.");
}

function lineAt(file: Buffer, offset: number): number {
  let line = 1;
  for (let at = file.indexOf(newline); at >= 0 && at < offset; at = file.indexOf(newline, at + 1)) line++;
  return line;
}

/** The most frequent separator in the first line. Throws `invalid_csv` if the line has too many cells. */
function delimiterOf(file: Buffer): string {
  const [line = ""] = file
    .toString("utf8", 0, rowBytesMax)
    .replaceAll(/"[^"]*"/g, "")
    .split(/[\r\n]/, 1);
  const [delimiter, count] = [",", ";", "\t"]
    .map((sign) => [sign, line.split(sign).length] as const)
    .reduce((most, next) => (next[1] > most[1] ? next : most));
  if (count > csvColumnsMax) throw invalidCsv(`The file has more than ${csvColumnsMax} columns.`, 1);
  return delimiter;
}

function asRefusal(error: CsvError): Error {
  const { lines } = error as unknown as { lines?: number };
  switch (error.code as string) {
    case "CSV_QUOTE_NOT_CLOSED":
      return invalidCsv("A quote that opens here or earlier is never closed.", lines);
    case "INVALID_OPENING_QUOTE":
      return invalidCsv(
        "A cell has a quote but does not start with one. Quote the whole cell, and double the quote.",
        lines,
      );
    case "CSV_INVALID_CLOSING_QUOTE":
      return invalidCsv("A cell has text after its closing quote. Double the quotes within a cell.", lines);
    default:
      return error;
  }
}
