import { isHexadecimal, partsOf } from "../files.ts";
import {
  type ErrorPart,
  type Language,
  makeFrame,
  type StackFrame,
  type StackText,
  splitHeader,
  splitPlace,
} from "../frame.ts";

const chromium = /^at (async )?(\S.*)$/;
/** Tried before `gecko`, because an address may contain an @. No function is named like an address. */
const bareAddress = /^[a-z][a-z0-9+.-]*:\/\/\S+:\d+(?::\d+)?$/i;
const gecko = /^([^@]{0,500})@(|\[native code\]|\S.*:\d{1,9}|[^\s:]*\.(?:js|jsbundle|bundle))$/;
/** node_modules of packages, the platform's own modules, browser extensions, and code without a file. */
const foreign =
  /(?:^|[\\/])(?:node_modules|bower_components|\.yarn)[\\/]|^node:|^internal\/|^(?:ext|deno|bun|native|internal|electron):|^https:\/\/(?:deno\.land\/(?:std|x)|esm\.sh|jsr\.io)|^electron\/|^[a-z-]+-extension:|^(?:native|<anonymous>|\[native code\]|resource:|chrome:|about:|moz-|capacitor:|evalmachine|InternalBytecode)|[\\/](?:webpack[\\/](?:bootstrap|runtime)|\.vite[\\/]deps)/i;
/** Modules of old versions of Node, which only have names. */
const nodeModule =
  /^(?:_?(?:async_hooks|child_process|cluster|dns|domain|events|fs|http[s2]?|http_\w+|module|net|process|readline|stream\w*|timers|tls\w*|util|vm|zlib|bootstrap_node|assert|buffer))\.js$/;
/** Bundles whose names say that they contain only libraries. */
const foreignBundle =
  /(?:^|[\\/])(?:vendors?|polyfills?|react-dom|zone|runtime|framework|jquery)(?:[.~_-][^\\/]*)?\.m?js(?:[?#]|$)/i;
/** Functions of React, React Native and compilers, which bundles contain next to the app's own. */
const foreignFunction =
  /^(?:(?:mount|update|finish)?(?:renderWithHooks|FunctionComponent|ClassComponent|IndeterminateComponent|beginWork|callComponent)\w*|react[-_]stack[-_]\w+|performUnitOfWork|performWorkOnRoot\w*|perform(?:Sync|Concurrent)Work\w*|performWorkUntilDeadline|workLoop\w*|renderRoot\w*|reconcileChild\w*|commit(?:Root|HookEffect|LayoutEffect|PassiveMount|MutationEffects)\w*|recursivelyTraverse\w+|flush(?:SyncCallback\w*|SyncWork\w*|PassiveEffects\w*|Work)|invokeGuardedCallback\w*|invokePassiveEffect\w*|callCallback\w*|execute(?:Dispatch)\w*|processDispatchQueue\w*|dispatchEvent\w*|batchedUpdates\w*|runWithPriority\w*|unstable_runWithPriority|scheduleUpdateOnFiber|__callFunction|__guard|__invokeCallback|__callReactNativeMicrotasks|callFunctionReturn\w+|invokeCallbackAndReturn\w+|callReactNativeMicrotasks|_?callTimers?|_?receiveAndExecute|runApplication|_performSideEffectsForTransition|_receiveSignal|touchableHandlePress|onResponderRelease|tryCatch|tryCallOne|tryCallTwo|doResolve|asyncGeneratorStep|_?asyncToGenerator|_next|_throw|__awaiter|__generator|invokeTask|onInvokeTask|drainMicroTaskQueue|callWithErrorHandling|callWithAsyncErrorHandling|asyncFunctionResume|asyncGeneratorResumeNext|promiseReactionJob\w*|runMicrotasks|processTicksAndRejections|processImmediate|loadModuleImplementation|guardedLoadModule|metroRequire|__webpack_require__)$/;
/** Where Safari's stacks omit the caller and show what resumes it. */
const resumption = /^(?:asyncFunctionResume|asyncGeneratorResumeNext|promiseReactionJob\w*)$/;
const isNative = (file: string) =>
  file === "" || /^(?:native|<anonymous>|anonymous|\[native code\]|unknown|index \d+|unknown location)$/.test(file);

/** Whether a file belongs to the app, by its name. */
export const isOwnFile = (file: string): boolean =>
  !foreign.test(file) && !foreignBundle.test(file) && !nodeModule.test(file);

/** Chromium, Node, Deno, Bun, Firefox, Safari, Hermes and JavaScriptCore of React Native. */
export const javascript: Language = {
  name: "javascript",
  isFrame: (line) =>
    (/^\s+at \S/.test(line) && /:\d+\)?(?: \{|,)?\s*$|\((?:<anonymous>|native|index \d+)\)\s*$/.test(line)) ||
    (/^\s*[^@\s]*@\S/.test(line) && /:\d+\s*$|\[native code\]\s*$/.test(line)) ||
    bareAddress.test(line.trim()),
  read: readErrors,
  isOwn: ({ function: name, file }) =>
    file !== null && isOwnFile(file) && (name === null || !foreignFunction.test(lastName(name))),
  identify: ({ function: name, file }, root) => {
    const short = normaliseFunction(name);
    return short === "" ? null : `${short}@${normaliseFile(file ?? "", root)}`;
  },
};

/**
 * The errors of a stack: the thrown error, its causes, and the errors that it groups, as Node and the SDK write them.
 */
function readErrors(lines: readonly string[]): StackText {
  const parts: ErrorPart[] = [{ type: null, message: null, frames: [] }];
  const isChromium = lines.some((line) => /^\s+at \S/.test(line));
  const memberOf = memberReader();
  let isMember = false;
  for (const line of lines) {
    const text = line.trim();
    const frame = isChromium ? readChromium(text) : readGecko(text);
    const part = parts.at(-1);
    const member = memberOf(line, frame !== undefined);
    if (member) isMember = member.isMember;
    const nextError = member?.text ?? /^(?:Caused by|\[?cause\]?): (.*)$/s.exec(text)?.[1];
    if (nextError !== undefined) parts.push({ ...splitHeader(withoutBrackets(nextError)), frames: [], isMember });
    else if (frame) part?.frames.push({ ...frame, raw: text });
    else if (part && part.type === null && part.frames.length === 0) {
      const header = splitHeader(withoutBrackets(text.replace(/^Uncaught (?:\(in promise\) )?/, "")));
      if (header.type !== null) Object.assign(part, header);
    }
  }
  return { parts, threads: [] };
}

/** Removes the brackets that Node puts around an error without frames, and the one before its fields. */
const withoutBrackets = (text: string) => text.replace(/ \{$|,$/, "").replace(/^\[(.*)\]$/s, "$1");

/**
 * Finds the lines at which grouped errors begin; all but the first are members. The SDK writes `[errors]: ` in front of
 * each, Node a bracketed list after it.
 */
function memberReader() {
  let listIndent: number | undefined;
  let count = 0;
  let isNext = false;
  return (line: string, isFrame: boolean): { text: string; isMember: boolean } | undefined => {
    const text = line.trim();
    const indent = line.length - line.trimStart().length;
    const [, said] = /^\[errors\]: (.*)$/s.exec(text) ?? [];
    const begins = !isFrame && isNext && indent === (listIndent ?? -1) + 2;
    if (listIndent !== undefined && indent === listIndent && /^\],?$/.test(text)) listIndent = undefined;
    if (said === "[" && listIndent === undefined) listIndent = indent;
    isNext = listIndent !== undefined && (said === "[" || text.endsWith(","));
    if (said !== undefined && said !== "[") return { text: said, isMember: count++ > 0 };
    return begins ? { text, isMember: count++ > 0 } : undefined;
  };
}

function readChromium(line: string): StackFrame | undefined {
  const [, async, rest] = chromium.exec(line.replace(/(?: \{|,)$/, "")) ?? [];
  if (rest === undefined) return undefined;
  const bracket = rest.endsWith(")") ? rest.indexOf(" (") : -1;
  const [name, address] = bracket < 0 ? [null, rest] : [rest.slice(0, bracket), rest.slice(bracket + 2, -1)];
  return makePlace(name, address.replace(/^address at /, ""), async !== undefined);
}

/** Firefox and Safari. Safari omits the @ if there is no function, and writes no place for native code. */
function readGecko(line: string): StackFrame | undefined {
  if (bareAddress.test(line)) return makePlace(null, line, false);
  const [matched, name = "", address = ""] = gecko.exec(line) ?? [];
  if (matched === undefined) {
    const isBare = /^[\w$.<>/ ]{0,200}$/.test(line) && resumption.test(line);
    return isBare ? makePlace(line, "[native code]", true) : undefined;
  }
  // Firefox puts the origin of an asynchronous call before a star: "async*load", "setTimeout handler*".
  const star = name.lastIndexOf("*");
  const isAsync = star >= 0 || name.startsWith("async ") || resumption.test(name);
  return makePlace(name.slice(star + 1).replace(/^async /, "") || null, address, isAsync);
}

function makePlace(name: string | null, address: string, isAsync: boolean): StackFrame {
  const evalAt = /^eval at [^(]{1,500}\(([^()]*:\d+:\d+)\)/.exec(address)?.[1];
  const { file, line, column } = splitPlace(evalAt ?? address);
  const place = { function: name, file: isNative(file) ? null : file, line, column };
  return makeFrame("", place, javascript.isOwn({ module: null, ...place }), isAsync);
}

const endings = /(?:\.(?:chunk|bundle|min|prod|esm|umd|mjs|cjs|jsx?|tsx?|map|wasm|vue|svelte))+$/i;

/**
 * The last two parts of a file's path or address, without the host, the query, and what differs between builds or
 * machines: hashes, versions and numbers.
 */
export function normaliseFile(file: string, root: string | null = null): string {
  if (/(?:^|[\\/])(?:main\.jsbundle|index(?:\.(?:android|ios))?\.bundle)(?:[?/]|$)/.test(file)) return "bundle";
  return partsOf(file, root).slice(-2).map(withoutHash).join("/");
}

/** A file's name without a bundler's hash: app-B7f3a9c1.js, app.8e0d62a0.chunk.js, 8e0d62a0.js. */
function withoutHash(name: string): string {
  const [ending = ""] = endings.exec(name) ?? [];
  const [head = "", ...rest] = name.slice(0, name.length - ending.length).split(/(?=[.~])/);
  // The hash of Vite and esbuild follows a hyphen and may contain hyphens: it is 8 characters long.
  const [, before = head, tail = ""] = /^(.{1,200}?)[-_]([\w-]{8}|[0-9a-f]{9,64})$/i.exec(head) ?? [];
  const named = isHash(tail) ? before : isHexadecimal(head) ? "" : head;
  return `${[named, ...rest.filter((part) => !isHash(part.slice(1)))].join("").replaceAll(/\d+/g, "#")}${ending}`;
}

/** Recognises a bundler's hash: hexadecimal, or 8 characters with digits or capitals in places where a word has none. */
const isHash = (text: string) => isHexadecimal(text) || (/^[\w-]{8}$/.test(text) && /\d|.[A-Z]/.test(text));

/**
 * The name of a function that all browsers agree on: its last part, without what only some of them add. Empty for a
 * function without a name, or with the one or two letters of a minifier, which differ between builds.
 */
export function normaliseFunction(name: string | null): string {
  if (name === null || /^(?:module|global|eval) code$|^(?:\?|anonymous)$/.test(name)) return "";
  const last = lastName(name);
  return last.length <= 2 || last.startsWith("<") || /^(?:anonymous|_?callee\d*\$?|exports|default)$/.test(last)
    ? ""
    : last.replace(/^_(?=[a-z]\w+\$$)|\$$/g, "").replaceAll(/\d+/g, "#");
}

function lastName(name: string): string {
  const bare = name
    .slice(0, 500)
    .replace(/ \[as .*\]$/, "")
    .replace(/^(?:async |new |get |set |bound |static )+/, "")
    .replace(/\/?<$/, "/")
    .replace(/\[\w+\]\/?$/, "/");
  return bare.split(/[./]/).at(-1) ?? "";
}

/** Common wordings for messages that each browser words differently. */
const wordings: [RegExp, string][] = [
  [/^Cannot read propert(?:y|ies) (?:'[^']*' )?of (undefined|null)(?: \(reading '([^']*)'\))?.*$/s, "read $2 of $1"],
  [/^can't access property "([^"]*)", .* is (undefined|null)$/s, "read $1 of $2"],
  [/^(undefined|null) is not an object \(evaluating '(?:[^']*[.])?([^'.]*)'\)$/s, "read $2 of $1"],
  [/^(?:Can't find variable: |Property ')([\w$]+)(?:' doesn't exist)?$/s, "$1 is not defined"],
  [/^(?:.*[.])?([\w$]+) is not a function(?:\. \(In .*|$)/s, "$1 is not a function"],
  [
    /^(?:Failed to fetch|Load failed|NetworkError when attempting to fetch resource\.|Network request failed)$/,
    "fetch failed",
  ],
  [/^(?:Maximum call stack size exceeded.*|too much recursion)$/s, "stack overflow"],
  [
    /^(?:Failed to fetch|error loading) dynamically imported module\b.*|^Importing a module script failed\.$/s,
    "import failed",
  ],
  [
    /^(?:Unexpected (?:token|end of JSON|non-whitespace|identifier).*JSON.*|JSON\.parse: .*|JSON Parse error: .*)$/s,
    "invalid JSON",
  ],
];

/** Rewords an engine's message in the words common to all engines; other messages are unchanged. */
export function sameWording(message: string): string {
  const old = /^Cannot read property '([^']*)' of (undefined|null)/.exec(message);
  if (old) return `read ${old[1]} of ${old[2]}`;
  const found = wordings.find(([pattern]) => pattern.test(message));
  return found ? message.replace(found[0], found[1]) : message;
}
