import { shortFile } from "../files.ts";
import { type ErrorPart, type Language, makeFrame, numberOf, type Place, type StackFrame } from "../frame.ts";

const frame = /^\s*#(\d{1,6}) (?:(\[internal function\])|(.{1,1000}?)\((\d{1,9})\))(?:: (.{1,1000}))?$/;
const main = /^\s*#\d{1,6} \{main\}$/;
/** `Type: message in /path/file.php:12`, and what PHP and frameworks put around it. */
const header =
  /^(?:PHP )?(?:Fatal error: {1,2})?(?:Uncaught )?(?:Next )?([A-Z\\][\w\\]*)(?:\(code: \d+\))?: (.*?)(?: in | at )((?:[A-Z]:)?[^\s:()][^:()]{0,1000})(?::|\()(\d{1,9})\)?$/;
const bareHeader =
  /^(?:PHP )?(?:Fatal error: {1,2})?(?:Uncaught )?(?:Next )?([A-Z\\][\w\\]*(?:Exception|Error|Throwable|Failure|Fault)): (.*)$/;
const previous = /^\s*\[previous exception\] \[object\] \(([\w\\]+)\(code: \d+\): (.*) at ([^\s:]+):(\d+)\)/;
const foreignFile = /[\\/]vendor[\\/]|^phar:|[\\/]wp-(?:includes|admin)[\\/]|[\\/]pear[\\/]/i;
const foreignName =
  /^\\?(?:Illuminate|Symfony|Doctrine|GuzzleHttp|Psr|Monolog|Laravel|Twig|Composer|PHPUnit|Predis|Sentry|League|Carbon|Slim|Laminas|Zend|CodeIgniter|yii|CakePHP|Cake|Livewire|Filament|Spatie|Nette|Phalcon|Amp|React|Revolt|Swoole|Pest)\\|^(?:PDO|PDOStatement|mysqli\w*|DateTime\w*|DateInterval|Reflection\w+|Spl\w+|Array(?:Object|Iterator)|Generator|Closure|Redis|Memcached?|SoapClient|SimpleXMLElement|DOM\w+|IntlDateFormatter|NumberFormatter)(?:->|::)/;

/** PHP: each frame shows the called function, and where it was called from. */
export const php: Language = {
  name: "php",
  isFrame: (line) => main.test(line) || (frame.test(line) && /\)(?:: |$)|\[internal/.test(line)),
  read: (lines) => {
    const listed: ErrorPart[] = [];
    let part: ErrorPart | undefined;
    let calledAt: { file: string | null; line: number | null } = { file: null, line: null };
    const begin = (type: string | null, message: string | null, file: string | null, line: number | null) => {
      part = { type, message, frames: [] };
      listed.push(part);
      calledAt = { file, line };
    };
    let isReverse = false;
    for (const line of lines) {
      const text = line.trim();
      const [, number, internal, file, digits, name] = frame.exec(line) ?? [];
      if (number !== undefined && (internal !== undefined || file !== undefined)) {
        if (number === "0" && part && part.frames.length > 0) part = undefined;
        if (!part) begin(null, null, null, null);
        const called = {
          ...calledAt,
          function: name?.replace(/\{closure:.*?\d+\}/s, "{closure}").replace(/\(.*$/s, "") ?? null,
        };
        // The place of the call is in the caller.
        (part as ErrorPart | undefined)?.frames.push(readFrame(line, called));
        calledAt = { file: file ?? null, line: numberOf(digits) };
      } else if (main.test(line)) {
        part?.frames.push(readFrame(line, { ...calledAt, function: "{main}" }));
      } else if (!/^(?:Stack trace:|\[stacktrace\]|thrown)/i.test(text)) {
        const [, type, message, at, on] = previous.exec(line) ?? header.exec(text) ?? [];
        const [, bareType, said] = bareHeader.exec(text) ?? [];
        if (previous.test(line)) isReverse = true;
        if (type !== undefined && at !== undefined) begin(type, message ?? "", at, numberOf(on));
        else if (bareType !== undefined) begin(bareType, said ?? "", null, null);
      }
    }
    // PHP lists the earliest error first; loggers of frameworks list it last.
    const parts = listed.filter(({ frames, type }) => frames.length > 0 || type !== null);
    return { parts: isReverse ? parts : parts.reverse(), threads: [] };
  },
  isOwn: ({ function: name, file }) =>
    file !== null ? !foreignFile.test(file) : name !== null && /\\|->|::/.test(name) && !foreignName.test(name),
  identify: ({ function: name, module, file }, root) => {
    const full = module !== null && name !== null && !name.includes(module) ? `${module}::${name}` : name;
    if (full === "{main}") return null;
    if (full === null) return file === null ? null : shortFile(file, root);
    const bare = full
      .replace(/(?:[\w\\]+\\)?\{closure\}/, "{closure}")
      .replace("->", "::")
      .replace(/^\\/, "")
      .replace(/@anonymous.*?(?=::|$)/s, "@anonymous");
    const isQualified = bare.includes("::") || bare.includes("\\");
    return isQualified ? bare : `${bare}@${file === null ? "" : shortFile(file, root)}`;
  },
};

function readFrame(raw: string, { function: name, file, line }: Pick<Place, "function" | "file" | "line">): StackFrame {
  const place: Place = { function: name, module: null, file, line, column: null };
  // PHP's own functions have no file, and neither have callbacks that they call in the app.
  return makeFrame(raw, place, php.isOwn(place));
}
