import {
  type ErrorPart,
  type Language,
  makeFrame,
  numberOf,
  type Place,
  type StackFrame,
  type Thread,
} from "../frame.ts";

const goroutine = /^\s*goroutine (\d{1,12})(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[([^\]]{1,100})\]:$/;
const file = /^(?:\t|\s{2,8})(\S.{0,1000}\.(?:go|s)):(\d{1,9})(?: \+0x[0-9a-f]+)?(?: fp=.*)?$/;
const called =
  /^(?:created by )?([\w./~%-]*[\w)\]]+[\w.()*[\]…~/%,-]*?)(\((?:[^()]|\.\.\.)*\))?(?: in goroutine \d+)?$/;
const panicked = /^panic: (.*?)(?: \[recovered.*\])?$/;
const standard =
  /^(?:archive|bufio|bytes|cmp|compress|container|context|crypto|database|debug|embed|encoding|errors|expvar|flag|fmt|go|hash|html|image|index|internal|io|iter|log|maps|math|mime|net|os|path|plugin|reflect|regexp|runtime|slices|sort|strconv|strings|structs|sync|syscall|testing|text|time|unicode|unique|unsafe|vendor|weak)(?:[/.]|$)/;
const foreignFile = /[\\/]pkg[\\/]mod[\\/]|[\\/]vendor[\\/]|@v\d/;
const foreignPackage =
  /^(?:golang\.org|google\.golang\.org|gopkg\.in|go\.uber\.org|go\.mongodb\.org|go\.opentelemetry\.io|k8s\.io|gorm\.io|github\.com\/(?:pkg|gin-gonic|labstack|gorilla|go-chi|gofiber|valyala|sirupsen|spf13|stretchr|jackc|lib|go-sql-driver|jmoiron|redis|go-redis|getsentry|prometheus|grpc|urfave|uber|uber-go|hashicorp|aws|Azure|googleapis|cockroachdb|rs|mattn|julienschmidt|go-kit|nats-io|segmentio|Shopify|IBM|elastic|docker|containerd|kubernetes)\/)/;

/** Go: panics and goroutines, and stacks of github.com/pkg/errors. */
export const go: Language = {
  name: "go",
  isFrame: (line) => goroutine.test(line) || file.test(line),
  read: (lines) => {
    const parts: ErrorPart[] = [];
    const threads: Thread[] = [];
    let part: ErrorPart = { type: null, message: null, frames: [] };
    let frames = part.frames;
    let header: string | undefined;
    for (const [index, line] of lines.entries()) {
      const [, number, state] = goroutine.exec(line) ?? [];
      const [, said] = panicked.exec(line) ?? [];
      const [, path, digits] = file.exec(line) ?? [];
      if (said !== undefined && part.message === null) part.message = said;
      if (number !== undefined) {
        if (part.frames.length === 0) frames = part.frames;
        else {
          frames = [];
          threads.push({ name: `goroutine ${number} [${state}]`, frames });
        }
      } else if (path !== undefined) {
        const read = readFrame(lines[index - 1] ?? "", path, digits);
        if (read) {
          if (header !== undefined && frames === part.frames && frames.length > 0 && threads.length === 0) {
            // Errors wrapped by pkg/errors come first, each with its own stack.
            parts.unshift(part);
            part = { type: null, message: header, frames: [] };
            frames = part.frames;
          }
          frames.push(read);
        }
        header = undefined;
      } else if (line.trim() !== "" && !file.test(lines[index + 1] ?? "")) header = line.trim();
    }
    for (const { frames } of [part, ...parts]) disownDeferred(frames);
    return { parts: [part, ...parts].filter(({ frames, message }) => frames.length > 0 || message !== null), threads };
  },
  isOwn: ({ function: name, module, file: path }) => {
    const full = module !== null && !name?.startsWith(module) ? `${module}.${name}` : (name ?? "");
    if (/^main\.|^command-line-arguments/.test(full)) return true;
    return (
      !standard.test(full) &&
      !foreignPackage.test(full) &&
      !(path !== null && foreignFile.test(path)) &&
      !/^(?:panic|goexit)$/.test(full)
    );
  },
  identify: ({ function: name, module }) => {
    if (name === null) return null;
    const full = module !== null && !name.startsWith(module) ? `${module}.${name}` : name;
    return full
      .replace(/\[[^\]]*\]/g, "")
      .replace(/\.\(\*([^)]+)\)/g, ".$1")
      .replace(/(?:[.-](?:func\d+|gowrap\d+|deferwrap\d+|Range\d+|range\d+|\d+|fm))+$/, "")
      .replace(/@v[^/]*/g, "")
      .replace(/%2e/g, ".");
  },
};

/** Marks calls of deferred functions after a panic as not the app's own, since they are not the place of the panic. */
function disownDeferred(frames: StackFrame[]): void {
  const end = frames.findLastIndex(({ function: name }) => name === "panic");
  for (const frame of frames.slice(0, Math.max(end, 0))) frame.isOwn = false;
}

function readFrame(line: string, path: string, digits: string | undefined): StackFrame | undefined {
  const text = line.trim();
  const [, name] = called.exec(text.slice(0, 1_000)) ?? [];
  if (name === undefined) return undefined;
  const place: Place = { function: name, module: null, file: path, line: numberOf(digits), column: null };
  const isStart = text.startsWith("created by ");
  return makeFrame(`${text} ${path}:${digits}`, place, !isStart && go.isOwn(place), isStart);
}
