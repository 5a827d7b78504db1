import { shortFile } from "../files.ts";
import { type ErrorPart, type Language, makeFrame, numberOf, type Place, splitHeader, type Thread } from "../frame.ts";

const frame = /^\s*File "([^"]{1,1000})", line (\d{1,9})(?:, in (.{1,500}))?$/;
const direct = /^The above exception was the direct cause of the following exception:$/;
const during = /^During handling of the above exception, another exception occurred:$/;
const start = /^(?:Exception Group )?Traceback \(most recent call last\):$/;
const thread = /^(?:Current thread|Thread) 0x[0-9a-f]+(?: \[[^\]]*\])?.*most recent call (first|last)/;
const foreign =
  /[\\/](?:site-packages|dist-packages|lib[\\/]python\d[\d.]*|Python\d+[\\/]lib|pypy[\w.-]*|\.venv|venv|virtualenvs|\.tox|conda|\.pyenv)[\\/]|^[A-Z]:\\(?:Program Files\\)?Python\d*\\|^<(?!stdin|module)[^>]*>$|\.egg[\\/]|^(?:asyncio|concurrent|threading|importlib|unittest|multiprocessing)[\\/.]/i;

/** Whether a frame is a comprehension; since 3.12, Python has no frames for those. */
export const isComprehension = (name: string | null) => /^<(?:listcomp|dictcomp|setcomp|genexpr)>$/.test(name ?? "");

/** Python: tracebacks, most recent call last, preceded by their causes, and groups of exceptions. */
export const python: Language = {
  name: "python",
  isFrame: (line) => frame.test(withoutMargin(line)),
  read: (lines) => {
    const listed: ErrorPart[] = [];
    const threads: Thread[] = [];
    const members: ErrorPart[] = [];
    let part: ErrorPart | undefined;
    let isInMember = false;
    let isOpen = false;
    for (const [index, line] of lines.entries()) {
      const isMember = /^\s*\|?\s*\+-+ (?:\d+ -+|\.\.\.)/.test(line) || /^\s*\+-\+-+ \d+ -+/.test(line);
      if (isMember) isInMember = true;
      const text = withoutMargin(line);
      const bare = text.trim();
      const [, file, digits, name] = frame.exec(text) ?? [];
      if (start.test(bare)) {
        part = { type: null, message: null, frames: [] };
        (isInMember ? members : listed).push(part);
        isOpen = true;
      } else if (direct.test(bare) || during.test(bare)) {
        isOpen = false;
      } else if (thread.test(bare)) {
        part = undefined;
        threads.push({ name: bare.slice(0, 100), frames: [] });
      } else if (file !== undefined && digits !== undefined) {
        if (threads.length > 0 && !part) threads.at(-1)?.frames.push(readFrame(text, file, digits, name));
        else {
          if (!part) {
            part = { type: null, message: null, frames: [] };
            listed.push(part);
            isOpen = true;
          }
          if (isOpen) part.frames.unshift(readFrame(text, file, digits, name, sourceOf(lines[index + 1])));
        }
      } else if (isOpen && part && part.frames.length > 0 && bare !== "" && indentOf(text) <= 0 && !isNoise(bare)) {
        Object.assign(part, splitHeader(bare));
        isOpen = false;
      }
    }
    // The earliest error comes first; the cause of a group is its first member.
    return {
      parts: [
        ...listed.reverse(),
        ...members.slice(0, 10).map((member, index) => ({ ...member, isMember: index > 0 })),
      ].filter(({ frames, type }) => frames.length > 0 || type),
      threads,
    };
  },
  isOwn: ({ file, module }) =>
    file !== null
      ? !foreign.test(file)
      : module !== null && !/^(?:asyncio|threading|concurrent|importlib)\b/.test(module),
  identify: ({ function: name, file, module }, root) => {
    if (name === null || isComprehension(name)) return null;
    // Only the last part: before 3.11 names are unqualified; elsewhere a class or decorator precedes the dot.
    const last =
      name
        .replace(/^.*<locals>\./, "")
        .split(".")
        .at(-1) ?? name;
    const where = file !== null ? shortFile(file, root) : (module ?? "").split(".").slice(-2).join("/");
    return `${last}@${where.replace(/\.pyc$/, ".py")}`;
  },
};

/** The traceback of a group has a margin of bars. */
const withoutMargin = (line: string) =>
  line.replace(/^\s*(?:[|+] ?\s{0,2}){1,10}(?=\S)/, (margin) =>
    margin.includes("|") || margin.includes("+") ? margin.replaceAll(/[|+]/g, "").slice(2) : margin,
  );

const indentOf = (line: string) => line.length - line.trimStart().length;

const isNoise = (text: string) => /^(?:\[Previous line repeated|[~^]+$|\+-)/.test(text);

/** The source line after a frame, unless the next frame follows directly. */
function sourceOf(line: string | undefined): string | undefined {
  return line !== undefined && /^ {4}\S/.test(line) ? line.trim() : undefined;
}

function readFrame(raw: string, file: string, digits: string, name: string | undefined, source?: string) {
  const place: Place = { function: name ?? null, module: null, file, line: numberOf(digits), column: null };
  const made = makeFrame(raw, place, python.isOwn(place));
  return source === undefined ? made : { ...made, context: { before: [], line: source.slice(0, 500), after: [] } };
}
