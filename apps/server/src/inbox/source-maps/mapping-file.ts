import { isUtf8 } from "node:buffer";

// Mapping files of ProGuard and R8. They are read line by line. The stored form has one line for each class, followed
// by its source file and its methods, with tabs between the fields.

const classesMax = 500_000;
const methodsMax = 2_000_000;
const lineFeed = 0x0a;
const space = 0x20;
const hash = 0x23;
const lineBytesMax = 65_536;
const nameLengthMax = 500;
/** The calls inlined at one place, and the methods that a frame without a known line may mean. */
const inlinedMax = 50;
const candidatesMax = 5;
/** The methods and line ranges with one name in a class. */
const methodsOfNameMax = 50_000;

/** An obfuscated call, as in a stack. */
export type ObfuscatedCall = { module: string; function: string; line: number | null };

/** A call before it was obfuscated. */
export type RetracedCall = { module: string; function: string; file: string | null; line: number | null };

/** A mapping file that cannot be used; its message says why. */
export class UnreadableMapping extends Error {}

type Method = { start: number; end: number; module: string; name: string; from: number | null; to: number | null };

/** The lines of UTF-8 text. Throws `UnreadableMapping` if one is too long. */
function* linesOf(bytes: Buffer, begin = 0): Generator<string> {
  for (let at = begin; at < bytes.length; ) {
    const found = bytes.indexOf(lineFeed, at);
    const end = found < 0 ? bytes.length : found;
    if (end - at > lineBytesMax) throw new UnreadableMapping(`it has a line of more than ${lineBytesMax} bytes`);
    yield bytes.toString("utf8", at, end);
    at = end + 1;
  }
}

/**
 * The stored form of a mapping file: the names of classes and methods, lines, and source files. Other lines are left
 * out. Throws `UnreadableMapping`.
 */
export function keepMapping(sent: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(sent.buffer, sent.byteOffset, sent.length);
  if (!isUtf8(bytes)) throw new UnreadableMapping("it is not UTF-8");
  const kept = Buffer.allocUnsafeSlow(bytes.length + 1); // a stored line is shorter than the original
  let length = 0;
  let classes = 0;
  let methods = 0;
  for (const text of linesOf(bytes)) {
    const ofClass = readClass(text);
    if (!ofClass && classes === 0) continue;
    const line = ofClass ?? readSourceFile(text) ?? readMethod(text);
    if (line === undefined) continue;
    if (ofClass !== undefined) classes += 1;
    else methods += 1;
    if (classes > classesMax) throw new UnreadableMapping(`it has more than ${classesMax} classes`);
    if (methods > methodsMax) throw new UnreadableMapping(`it has more than ${methodsMax} methods`);
    length += kept.write(`${line}\n`, length);
  }
  if (classes === 0) throw new UnreadableMapping("it is not a ProGuard or R8 mapping file: it names no class");
  return new Uint8Array(kept.buffer, 0, length).slice();
}

/** `com.acme.Cart -> a.b:` */
function readClass(line: string): string | undefined {
  if (/^[\s#]/.test(line)) return undefined;
  const [, original, obfuscated] = /^([^\s]+) -> ([^\s]+):\s*$/.exec(line) ?? [];
  return original !== undefined && obfuscated !== undefined ? `${obfuscated}\t${original}` : undefined;
}

/** `# {"id":"sourceFile","fileName":"Cart.kt"}` */
function readSourceFile(line: string): string | undefined {
  const text = line.trim();
  if (!text.startsWith("#") || !text.includes('"sourceFile"')) return undefined;
  try {
    const { id, fileName } = JSON.parse(text.slice(1)) as { id?: unknown; fileName?: unknown };
    return id === "sourceFile" && isName(fileName) ? `#${fileName}` : undefined;
  } catch {
    return undefined;
  }
}

/**
 * `    1:3:void com.acme.Cart.total(int,long):10:12 -> a`, without the types, and without lines that it does not name.
 */
function readMethod(line: string): string | undefined {
  if (!/^\s+[^\s#]/.test(line)) return undefined;
  const arrow = line.lastIndexOf(" -> ");
  const open = line.indexOf("(");
  const close = line.lastIndexOf(")", arrow);
  if (arrow < 0 || open < 0 || close < open) return undefined;
  const [, digits = ""] = /^\s+((?:\d{1,9}:\d{1,9}:)?)/.exec(line) ?? [];
  const [start = "", end = ""] = digits.split(":");
  const typed = line.slice(0, open).trimStart().slice(digits.length);
  const name = typed.slice(typed.indexOf(" ") + 1);
  const obfuscated = line.slice(arrow + " -> ".length).trim();
  const [, from = "", to = ""] = /^:(\d{1,9})(?::(\d{1,9}))?$/.exec(line.slice(close + 1, arrow)) ?? [];
  if (!typed.includes(" ") || !isName(name) || !isName(obfuscated)) return undefined;
  return ` ${[obfuscated, start, end, name, from, to].join("\t")}`;
}

const isName = (text: unknown): text is string =>
  typeof text === "string" && text !== "" && text.length <= 10_000 && !/[\t\r\n]/.test(text);

/** A stored mapping, with an index of its classes. */
export class Mapping {
  readonly #bytes: Buffer;
  /** By obfuscated name: the original name of a class, and where its lines begin. */
  readonly #classes = new Map<string, { original: string; begin: number }>();
  readonly #beginOf = new Map<string, number>();

  constructor(kept: Uint8Array) {
    this.#bytes = Buffer.from(kept.buffer, kept.byteOffset, kept.length);
    for (let at = 0; at < this.#bytes.length; ) {
      const next = this.#bytes.indexOf(lineFeed, at) + 1 || this.#bytes.length;
      if (this.#bytes[at] !== space && this.#bytes[at] !== hash) {
        const [obfuscated = "", original = ""] = this.#bytes.toString("utf8", at, next - 1).split("\t");
        this.#classes.set(obfuscated, { original, begin: next });
        this.#beginOf.set(original, next);
      }
      at = next;
    }
  }

  /** The memory that it takes, as a number of mappings of a source map. */
  get size(): number {
    return Math.ceil(this.#bytes.length / 90) + 4 * this.#classes.size;
  }

  /** The original name of a class; null if the mapping does not contain it. */
  classOf(obfuscated: string): string | null {
    return this.#classes.get(obfuscated)?.original.slice(0, nameLengthMax) ?? null;
  }

  /** The original calls of each call, innermost first; null if the mapping does not contain its class. */
  retrace(calls: readonly ObfuscatedCall[]): (RetracedCall[] | null)[] {
    const wanted = new Map<string, Map<string, Method[]>>();
    for (const { module, function: name } of calls) {
      if (!this.#classes.has(module)) continue;
      const methods = wanted.get(module) ?? new Map<string, Method[]>();
      wanted.set(module, methods.set(name, []));
    }
    const fileOf = new Map<string, string>();
    for (const [module, methods] of wanted) this.#readMethods(module, methods, fileOf);
    return calls.map((call) => {
      const known = this.#classes.get(call.module);
      const methods = wanted.get(call.module)?.get(call.function);
      if (!known || !methods) return null;
      return callsOf(call, known.original, methods).map((retraced) => ({
        module: retraced.module.slice(0, nameLengthMax),
        function: retraced.function.slice(0, nameLengthMax),
        file: this.#fileOf(retraced.module, fileOf),
        line: retraced.line,
      }));
    });
  }

  #readMethods(obfuscated: string, methods: Map<string, Method[]>, fileOf: Map<string, string>): void {
    const { original = "", begin = this.#bytes.length } = this.#classes.get(obfuscated) ?? {};
    for (const text of linesOf(this.#bytes, begin)) {
      if (text.startsWith("#")) fileOf.set(original, text.slice(1));
      else if (!text.startsWith(" ")) return;
      const [name = "", start, end, called = "", from, to] = text.slice(1).split("\t");
      const dot = called.lastIndexOf(".");
      const known = methods.get(name);
      if (!known || known.length === methodsOfNameMax) continue;
      known.push({
        start: Number(start),
        end: Number(end),
        module: dot < 0 ? original : called.slice(0, dot),
        name: called.slice(dot + 1),
        from: from ? Number(from) : null,
        to: to ? Number(to) : null,
      });
    }
  }

  /** The source file of a class, by its original name; it is in the first line of the class. */
  #fileOf(original: string, known: Map<string, string>): string | null {
    const begin = this.#beginOf.get(original);
    if (!known.has(original) && begin !== undefined) {
      const [first] = linesOf(this.#bytes.subarray(begin, begin + lineBytesMax));
      known.set(original, first?.startsWith("#") ? first.slice(1) : "");
    }
    return known.get(original)?.slice(0, nameLengthMax) || null;
  }
}

type Found = Omit<RetracedCall, "file">;

/**
 * The original calls of a call. Adjacent entries with one line range are calls that were inlined into each other. If
 * several methods are possible, names all of them, without a line.
 */
function callsOf({ function: sent, line }: ObfuscatedCall, original: string, methods: readonly Method[]): Found[] {
  const ranged = methods.filter(({ end }) => end > 0);
  const others = methods.filter(({ end }) => end === 0);
  const groups = inlinedTogether(ranged.filter(({ start, end }) => line !== null && start <= line && line <= end));
  const [only] = groups;
  if (only && groups.length === 1) return only.slice(0, inlinedMax).map((method) => placeOf(method, line));
  const candidates =
    groups.length > 0 ? groups : others.length > 0 ? inlinedTogether(others, true) : inlinedTogether(ranged);
  const meant = new Map(
    candidates.flatMap((group) => group.at(-1) ?? []).map((one) => [`${one.module}.${one.name}`, one]),
  );
  const [first, ...more] = meant.values();
  const isLineKept = groups.length === 0 && others.length > 0;
  if (!first || meant.size > candidatesMax) return [{ module: original, function: sent, line: first ? null : line }];
  if (more.length === 0) return [{ module: first.module, function: first.name, line: isLineKept ? line : null }];
  const names = [...new Set([first, ...more].map(({ name }) => name))].sort();
  return [{ module: original, function: names.join("|"), line: null }];
}

function inlinedTogether(methods: readonly Method[], areApart = false): Method[][] {
  const groups: Method[][] = [];
  for (const method of methods) {
    const last = groups.at(-1);
    const [first] = last ?? [];
    if (last && !areApart && first?.start === method.start && first.end === method.end) last.push(method);
    else groups.push([method]);
  }
  return groups;
}

function placeOf({ start, end, module, name, from, to }: Method, line: number | null): Found {
  const offset = (line ?? start) - start;
  const isSpread = to !== null && from !== null && to - from === end - start;
  const original = from === null ? line : isSpread ? from + offset : from;
  return { module, function: name, line: original || null };
}
