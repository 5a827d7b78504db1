/** Where the answer at the start of `received` ends, or undefined as long as its head is not whole. */
export function answerEnd(received: string): number | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${received.slice(0, headEnd)}`);
  return headEnd + 4 + Number(length);
}
