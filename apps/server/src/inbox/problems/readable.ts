import { defaultReportKind, type Envelope } from "@lodge/contract/envelope";

/** Parses a stored envelope, which was validated when it was accepted. */
export const parseEnvelope = (bytes: Buffer): Partial<Envelope> =>
  JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, "")) as Partial<Envelope>;

/** Replaces NUL and unpaired surrogates, which databases and screens cannot handle. */
export const readable = (text: string) => text.replaceAll("\u0000", "\uFFFD").toWellFormed();

/** Cuts a text to `lengthMax` code points, with an ellipsis if it was longer. */
export function shorten(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const points = [...text.slice(0, 2 * lengthMax + 2)];
  return points.length > lengthMax ? `${points.slice(0, lengthMax - 1).join("")}…` : text;
}

/** The part of a text that is searched for a title. */
const lineLengthMax = 2_000;

/**
 * A report in one line: its title, error or message, whichever comes first and is not empty. An untitled report gets
 * its kind.
 */
export function titleOf({ title, message, error, kind }: Partial<Envelope>): { title: string; isUntitled: boolean } {
  const named = [title, error && `${error.type}: ${error.message.slice(0, lineLengthMax)}`, message];
  const [line] = named.map((text) => firstLine(readable((text ?? "").slice(0, lineLengthMax)))).filter(Boolean);
  return { title: line ?? kind ?? defaultReportKind, isUntitled: line === undefined };
}

const firstLine = (text: string) => text.trim().split(/[\r\n]/, 1)[0] ?? "";
