/** An item of a Sentry envelope: its header, to which the length is added, and its bytes or JSON. */
export type SentryItem = [header: Record<string, unknown>, payload: unknown];

const bytesOf = (payload: unknown) =>
  typeof payload === "string" || payload instanceof Uint8Array
    ? Buffer.from(payload)
    : Buffer.from(JSON.stringify(payload));

/** An envelope as Sentry's clients write it. */
export function sentryEnvelope(header: Record<string, unknown>, items: readonly SentryItem[]): Buffer {
  const encoded = items.map(([itemHeader, payload]) => {
    const bytes = bytesOf(payload);
    const line = `${JSON.stringify({ length: bytes.length, ...itemHeader })}\n`;
    return Buffer.concat([Buffer.from(line), bytes, Buffer.from("\n")]);
  });
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...encoded]);
}
