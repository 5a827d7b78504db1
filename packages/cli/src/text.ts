import { stripVTControlCharacters } from "node:util";
import { descriptionLengthMax, titleLengthMax } from "@lodge/contract/limits";

const headLength = 6_000;
/** The length to keep of each end of a long text: more than fits, since much may be colours and progress bars. */
const heldUnits = 1_048_576;

/** Removes colours, all but the last state of progress bars, and invalid characters. */
export const cleanText = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\r\n/g, "\n")
    .replace(/(?<![^\n])[^\n]*\r(?=[^\n])/g, "") // anchored to the start of a line: otherwise quadratic in long lines
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what it removes
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "")
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

/** A title on one line, truncated to the limit. */
export function fitTitle(text: string): { title: string; cut: boolean } {
  const title = cleanText(text).replace(/\s+/g, " ").trim();
  const points = [...title];
  if (points.length <= titleLengthMax) return { title, cut: false };
  return { title: `${points.slice(0, titleLengthMax - 1).join("")}…`, cut: true };
}

/** Shortens a long description to its start and end, where the error is, and a note of how much is missing. */
export function fitDescription(text: string, alreadyLeftOut = 0): { description: string; leftOut: number } {
  const points = [...cleanText(text)];
  if (points.length <= descriptionLengthMax && alreadyLeftOut === 0) {
    return { description: points.join(""), leftOut: 0 };
  }
  const room = descriptionLengthMax - 80;
  const tailLength = room - headLength;
  const leftOut = Math.max(points.length - room, 0) + alreadyLeftOut;
  const head = points.slice(0, headLength).join("");
  const tail = points.slice(Math.max(points.length - tailLength, headLength)).join("");
  return { description: `${head}\n\n[… ${leftOut.toLocaleString("en")} characters left out …]\n\n${tail}`, leftOut };
}

/** Reads a text of any length, but keeps only its two ends. Invalid UTF-8 becomes replacement characters. */
export async function readEnds(stream: AsyncIterable<Uint8Array>): Promise<{ text: string; leftOut: number }> {
  const decoder = new TextDecoder();
  let head = "";
  let tail = "";
  let leftOut = 0;
  const take = (text: string) => {
    const toHead = text.slice(0, heldUnits - head.length);
    head += toHead;
    tail += text.slice(toHead.length);
    if (tail.length <= 2 * heldUnits) return;
    leftOut += tail.length - heldUnits;
    tail = tail.slice(-heldUnits);
  };
  for await (const chunk of stream) take(decoder.decode(chunk, { stream: true }));
  take(decoder.decode());
  return { text: head + tail, leftOut };
}
