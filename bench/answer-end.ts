/** The end of the response at the start of `received`; undefined until its head is complete. */
export function answerEnd(received: string): number | undefined {
  const headEnd = received.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1];
  if (length === undefined) throw new Error(`a response without a length: ${received.slice(0, headEnd)}`);
  return headEnd + 4 + Number(length);
}
