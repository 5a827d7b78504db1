const struck = "[secret]";
/** The shortest secret to redact. Shorter ones would match ordinary words. */
const lengthMin = 6;

/** Redacts secrets in a text that arrives in chunks, even if a chunk ends within a secret. */
export type Redactor = {
  /**
   * Takes a chunk and returns the text that is safe to show. Holds back the end of a chunk that may be the start of a
   * secret.
   */
  write: (piece: string) => string;
  /** Returns the rest that was held back. */
  end: () => string;
};

/** Redacts these secrets in plain text, URL-encoded, and in base64 at any offset of the encoded data. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = [...new Set(secrets.filter(({ length }) => length >= lengthMin).flatMap(formsOf))].sort(
    (one, other) => other.length - one.length,
  );
  if (forms.length === 0) return { write: (piece) => piece, end: () => "" };
  const any = new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "g");
  const longest = forms[0]?.length ?? 0;
  let held = "";

  /** The position at which a secret may start that continues in the next chunk. */
  const openFrom = (text: string) => {
    for (let from = Math.max(0, text.length - longest + 1); from < text.length; from++) {
      const end = text.slice(from);
      if (forms.some((form) => form.length > end.length && form.startsWith(end))) return from;
    }
    return text.length;
  };

  return {
    write: (piece) => {
      const text = (held + piece).replace(any, struck);
      const from = openFrom(text);
      held = text.slice(from);
      return text.slice(0, from);
    },
    end: () => {
      const rest = held;
      held = "";
      return rest;
    },
  };
}

/** Redacts secrets in a complete text. */
export function redact(text: string, secrets: readonly string[]): string {
  const redactor = createRedactor(secrets);
  return redactor.write(text) + redactor.end();
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const encoded = [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .replace(/=+$/, "");
    // Leaves out base64 characters that also encode bits of the neighbouring bytes.
    const first = Math.ceil((before * 8) / 6);
    return text.slice(first, Math.floor(((before + bytes.length) * 8) / 6));
  });
  return [
    secret,
    encodeURIComponent(secret.toWellFormed()),
    ...encoded,
    ...encoded.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ].filter(({ length }) => length >= lengthMin);
}
