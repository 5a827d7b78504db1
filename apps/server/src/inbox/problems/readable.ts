import { defaultReportKind, type Envelope } from "@lodge/contract/envelope";

/** The JSON of an envelope as it was stored, which was checked when it was accepted. */
export const parseEnvelope = (bytes: Buffer): Partial<Envelope> =>
  JSON.parse(bytes.toString("utf8").replace(/^\uFEFF/, "")) as Partial<Envelope>;

/** A text that a database and a screen can hold: NUL and unpaired surrogates are replaced. */
export const readable = (text: string) => text.replaceAll("\u0000", "\uFFFD").toWellFormed();

/** A text of at most so many code points, with an ellipsis where it was longer. */
export function shorten(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const points = [...text.slice(0, 2 * lengthMax + 2)];
  return points.length > lengthMax ? `${points.slice(0, lengthMax - 1).join("")}…` : text;
}

/** More of a text than this is no title. */
const lineLengthMax = 2_000;

/**
 * A report in one line: its title, its error, or its message, whichever comes first and says something. Of one that says
 * nothing of itself, which is untitled, its kind.
 */
export function titleOf({ title, message, error, kind }: Partial<Envelope>): { title: string; isUntitled: boolean } {
  const named = [title, error && `${error.type}: ${error.message.slice(0, lineLengthMax)}`, message];
  const [line] = named.map((text) => firstLine(readable((text ?? "").slice(0, lineLengthMax)))).filter(Boolean);
  return { title: line ?? kind ?? defaultReportKind, isUntitled: line === undefined };
}

const firstLine = (text: string) => text.trim().split(/[\r\n]/, 1)[0] ?? "";
