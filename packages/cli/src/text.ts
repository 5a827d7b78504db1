import { stripVTControlCharacters } from "node:util";
import { descriptionLengthMax, titleLengthMax } from "@lodge/contract/limits";

const headLength = 6_000;
/** The number of characters kept of each end of a longer text: the end may be mostly colours and progress bars. */
const heldUnits = 1_048_576;

/** A text as a ticket can have it: no colours, of a progress bar its last state, no invalid character. */
export const cleanText = (text: string): string =>
  stripVTControlCharacters(text)
    .replace(/\r\n/g, "\n")
    .replace(/(?<![^\n])[^\n]*\r(?=[^\n])/g, "") // from the start of a line alone: else a long line is read from each of its characters
    // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not stay
    .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, "")
    .replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

/** A title of one line that fits; cut where it does not. */
export function fitTitle(text: string): { title: string; cut: boolean } {
  const title = cleanText(text).replace(/\s+/g, " ").trim();
  const points = [...title];
  if (points.length <= titleLengthMax) return { title, cut: false };
  return { title: `${points.slice(0, titleLengthMax - 1).join("")}…`, cut: true };
}

/** A description that fits: of a longer one the head and the tail, which says what broke, and how much is missing. */
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

/** Reads a text however long it is, holding its two ends; bytes that are no UTF-8 become replacement characters. */
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
