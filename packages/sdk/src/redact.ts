/** The replacement for a secret. */
export const struckOut = "[redacted]";

/** Names whose value is a secret, in any case style (`apiKey`, `api_key`, `API-KEY`). */
const secretName =
  /(^|_)(pass(word|wd|phrase|code)?|pwd|secrets?|(access|refresh|id|auth|api|bearer|csrf|xsrf|session|reset)?token|jwt|auth|authori[sz]ation|cookies?|credentials?|(api|access|private|secret|signing|encryption|sdk)_?key|session_?id|sid|otp|pin|cvv2?|cvc2?|card_?(number|no)|ssn|iban)(_|$)/;

const patterns: [RegExp, string | ((found: string, ...groups: string[]) => string)][] = [
  // The value of a header, up to the end of the line, unless the scheme defines where the credential ends.
  [
    /\b(authorization|cookie)(["']?\s*[:=]\s*["']?)(?!["'\s]*(?:bearer|basic|dpop|negotiate|token)\s+\[redacted\])[^\r\n"']+/gi,
    `$1$2${struckOut}`,
  ],
  [/\b(bearer|basic)\s+[\w.~+/=-]{8,}/gi, `$1 ${struckOut}`],
  [/(\w:\/\/)[^\s/@:]+:[^\s/@]+@/g, `$1${struckOut}@`],
  // Secrets with a recognisable form: keys of known vendors, JSON Web Tokens, private keys.
  [
    /\b(?:(?:ldg(?:pub|run|thread|device)?_|gh[opsur]_|github_pat_|glpat-|xox[abeoprs]-|[sr]k_(?:live|test)_|whsec_|npm_|AIza|sk-)[\w-]{16,}={0,2}|A[KS]IA[A-Z\d]{16}\b|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)/g,
    struckOut,
  ],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, struckOut],
  [/(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.]*\d)/g, (found) => (isCard(found) ? struckOut : found)],
];

/** Whether the value of this name must be hidden. */
export const isSecretName = (name: string): boolean =>
  secretName.test(
    name
      .replace(/([a-z\d])([A-Z])/g, "$1_$2")
      .replace(/\W+/g, "_")
      .toLowerCase(),
  );

/** Query parameters that describe what a page shows, and nothing about its visitor. */
const harmlessParameters = new Set(
  "page per_page pagesize limit offset size sort order dir direction lang locale hl tab view filter format theme width height w h dpr v ver version year month day expires_in utm_source utm_medium utm_campaign".split(
    " ",
  ),
);

/** The query parameters that keep their values besides the built-in ones, in any letter case; true keeps all. */
export type KeptParameters = readonly string[] | true;

/** Redacts recognisable secrets from a text: credentials, tokens, keys, card numbers, unknown query parameters. */
export function redactText(text: string, kept: KeptParameters = []): string {
  const named = redactNamed(text);
  const before = kept === true ? named : redactQueries(named, kept);
  return patterns.reduce((before, [pattern, instead]) => before.replace(pattern, instead as string), before);
}

/** Redacts the values of unknown query parameters, but keeps the line and column after an address in a stack frame. */
function redactQueries(text: string, kept: readonly string[]): string {
  const isKept = (name: string) => harmlessParameters.has(name) || kept.some((other) => other.toLowerCase() === name);
  return text.replace(/[?#](?=[\w.[\]%~-]{1,100}=)[^\s"'`<>\\]+/g, (query) => {
    const [behind = ""] = /(?::\d{1,9}){0,2}[),.:;!]{0,5}$/.exec(query) ?? [];
    const parameters = query.slice(0, query.length - behind.length);
    return (
      parameters.replace(/([?#&;])([^?#&;=]*)=([^?#&;]+)/g, (found, start: string, name: string) =>
        isKept(name.toLowerCase()) ? found : `${start}${name}=${struckOut}`,
      ) + behind
    );
  });
}

/** Redacts values whose name marks them as a secret, in an address, a form, a header or JSON. */
function redactNamed(text: string): string {
  const named = /(?<![\w-])([\w-]{1,60})(?:\\{0,8}["'])?\s{0,4}[:=]\s{0,4}/g;
  // Up to the matching quote (with as many backslashes, for JSON within JSON), or else to the end of the word.
  const schemed = /(?:\\{0,8}["'])?(?:bearer|basic|dpop|negotiate|token)\s{1,4}(?=[^\s"'])/iy;
  const valued = /(\\{0,8}["'])(?:(?!(?<!\\)\1).)+|[^\s"'&;,<>]+/y;
  let result = "";
  let end = 0;
  for (let match = named.exec(text); match; match = named.exec(text)) {
    const [, name = ""] = match;
    if (!isSecretName(name)) continue;
    schemed.lastIndex = named.lastIndex;
    valued.lastIndex = schemed.exec(text) ? schemed.lastIndex : named.lastIndex;
    const start = valued.lastIndex;
    const value = valued.exec(text);
    if (!value) continue;
    result += text.slice(end, start) + (value[1] ?? "") + struckOut;
    end = valued.lastIndex;
    named.lastIndex = end;
  }
  return result + text.slice(end);
}

/** Whether digits are a payment card number: a known first digit and a valid Luhn check digit. */
function isCard(found: string): boolean {
  const digits = [...found.replace(/\D/g, "")].reverse();
  const sum = digits.reduce((sum, digit, at) => sum + Number(at % 2 ? "0246813579"[Number(digit)] : digit), 0);
  return /^[2-6]/.test(found) && sum % 10 === 0;
}
