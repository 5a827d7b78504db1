import type { Language, LanguageName, StackText } from "./frame.ts";
import { languages } from "./languages/languages.ts";

/** Limits on stacks, lines and their lengths, since anybody can send them; the rest is not read. */
export const stackLengthMax = 262_144;
const linesMax = 6_000;
const lineLengthMax = 1_500;
/** The lines by which a stack's language is recognised. */
const judgedMax = 300;

/** A parsed stack. `language` is undefined if no line is a frame of any. */
export type ReadStack = StackText & { language: LanguageName | undefined };

/**
 * Reads a stack in the format of any supported language, recognised by its lines. Time and memory are bounded for every
 * text; of long ones the beginning and the end are read.
 */
export function readStack(stack: string, platform?: string, lengthMax = stackLengthMax): ReadStack {
  const lines = linesOf(clipStack(stack, lengthMax));
  const language = languageOf(lines, platform);
  if (!language) return { language: undefined, parts: [], threads: [] };
  return { language: language.name, ...language.read(lines) };
}

/**
 * The part of a stack that is read: of a long one the beginning, and the end, where some languages show the root cause.
 */
export function clipStack(stack: string, lengthMax = stackLengthMax): string {
  if (stack.length <= lengthMax) return stack;
  const end = stack.slice(-Math.floor(lengthMax / 4));
  return `${stack.slice(0, lengthMax - end.length)}${end.slice(Math.max(0, end.indexOf("\n")))}`;
}

function linesOf(stack: string): string[] {
  const all = stack.split("\n");
  const lines = all.length <= linesMax ? all : [...all.slice(0, (linesMax * 3) / 4), ...all.slice(-linesMax / 4)];
  return lines.map((line) => (line.length > lineLengthMax ? line.slice(0, lineLengthMax) : line).replace(/\r$/, ""));
}

/** The language in which most lines are frames; for a tie the platform's, else the first. */
function languageOf(lines: readonly string[], platform: string | undefined): Language | undefined {
  const judged = lines.length <= judgedMax ? lines : [...lines.slice(0, judgedMax / 2), ...lines.slice(-judgedMax / 2)];
  const named = languageOfPlatform(platform);
  let best: { language: Language; count: number } | undefined;
  for (const language of named ? [named, ...languages.filter((other) => other !== named)] : languages) {
    const count = judged.reduce((sum, line) => sum + (language.isFrame(line) ? 1 : 0), 0);
    if (count > (best?.count ?? 0)) best = { language, count };
  }
  return best?.language;
}

const platforms: Record<string, LanguageName> = {
  javascript: "javascript",
  node: "javascript",
  "react-native": "javascript",
  java: "jvm",
  android: "jvm",
  kotlin: "jvm",
  python: "python",
  go: "go",
  ruby: "ruby",
  php: "php",
  cocoa: "swift",
  swift: "swift",
  "objective-c": "swift",
  objc: "swift",
  ios: "swift",
  macos: "swift",
  dart: "dart",
  flutter: "dart",
  csharp: "dotnet",
  dotnet: "dotnet",
  unity: "dotnet",
  rust: "rust",
  elixir: "elixir",
  erlang: "elixir",
};

/** The language of a platform by its name or its beginning: `python-django`. */
export function languageOfPlatform(platform: string | undefined): Language | undefined {
  const name = platform?.slice(0, 50).toLowerCase() ?? "";
  const found = platforms[name] ?? platforms[name.split(/[-_.]/)[0] ?? ""];
  return languages.find((language) => language.name === found);
}

/** The language of frames by their file extensions, if they do not name one. */
export function languageOfFiles(files: readonly string[]): Language | undefined {
  const endings: [RegExp, LanguageName][] = [
    [/\.(?:java|kts?|scala|groovy|clj)$/i, "jvm"],
    [/\.pyc?$/i, "python"],
    [/\.go$/i, "go"],
    [/\.(?:rb|erb|rake)$/i, "ruby"],
    [/\.php$/i, "php"],
    [/\.(?:swift|mm?)$/i, "swift"],
    [/\.dart$/i, "dart"],
    [/\.(?:cs|fs|vb|razor|cshtml)$/i, "dotnet"],
    [/\.rs$/i, "rust"],
    [/\.(?:exs?|erl|heex)$/i, "elixir"],
    [/\.(?:[cm]?[jt]sx?|vue|svelte|jsbundle|bundle)(?:[?#].*)?$/i, "javascript"],
  ];
  const file = files.find((each) => endings.some(([ending]) => ending.test(each)));
  const name = file === undefined ? undefined : endings.find(([ending]) => ending.test(file))?.[1];
  return languages.find((language) => language.name === name);
}

export const languageNamed = (name: LanguageName | undefined): Language | undefined =>
  languages.find((language) => language.name === name);
