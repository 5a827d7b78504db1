const struck = "[secret]";
/** Shorter ones would redact ordinary words. */
const lengthMin = 6;

/** Strikes secrets out of a text that comes in pieces, wherever it is cut. */
export type Redactor = {
  /**
   * Writes a piece and returns the text that can be shown by now; the end of a piece that may be the beginning of a
   * secret waits for the next one.
   */
  write: (piece: string) => string;
  /** The part that still waits. */
  end: () => string;
};

/** Strikes out these secrets as they are, URL-encoded, and in base64 wherever they begin in what was encoded. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = [...new Set(secrets.filter(({ length }) => length >= lengthMin).flatMap(formsOf))].sort(
    (one, other) => other.length - one.length,
  );
  if (forms.length === 0) return { write: (piece) => piece, end: () => "" };
  const any = new RegExp(forms.map((form) => form.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("|"), "g");
  const longest = forms[0]?.length ?? 0;
  let held = "";

  /** Where the text may begin a secret that goes on in the next piece. */
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

/** A text that is whole, without the secrets. */
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
    // Characters that carry bits of its neighbours differ with those.
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
