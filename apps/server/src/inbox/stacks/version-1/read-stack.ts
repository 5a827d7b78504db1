// How version 1 of the grouping rules reads stacks. Do not change it: that would split existing problems.

/** Limits on stacks and lines, since anybody can send them; the rest is not read. */
const stackLengthMax = 262_144;
const lineLengthMax = 2_000;

/** A frame of a stack, and whether it was called asynchronously: browsers report the frames after that differently. */
export type StackFrame = {
  function: string | null;
  file: string | null;
  line: number | null;
  column: number | null;
  isOwn: boolean;
  isAsync: boolean;
};

// Each line is matched alone, so that patterns cannot span lines. No pattern has nested repetition.
const place = /^(.*?)(?::(\d{1,9}))?(?::(\d{1,9}))?$/;
const chromium = /^at (async )?(\S.*)$/;
/** Tried before `gecko`, because an address may contain an @. No function is named like an address. */
const bareAddress = /^[a-z][a-z0-9+.-]*:\/\/\S+:\d+(?::\d+)?$/i;
const gecko = /^([^@]{0,500})@(|\[native code\]|.*:\d{1,9})$/;
/** node_modules of packages, the platform's own modules, browser extensions, and code without a file. */
const foreign =
  /(?:^|[\\/])(?:node_modules|bower_components)[\\/]|^node:|^internal\/|^[a-z-]+-extension:|^(?:native|<anonymous>|\[native code\]|resource:|chrome:|about:|moz-|capacitor:|evalmachine)|[\\/](?:webpack[\\/](?:bootstrap|runtime)|\.vite[\\/]deps)/i;
/** Bundles whose names say that they contain only libraries. */
const foreignBundle = /(?:^|[\\/])(?:vendors?|polyfills?|react-dom|zone|runtime)(?:[.~_-][^\\/]*)?\.m?js(?:[?#]|$)/i;

/**
 * The frames of a stack as Chromium, Node, Firefox and Safari write them, the innermost first. Lines that are not frames (the
 * message, mostly) are left out. Reads at most 256 KiB.
 */
export function readStack(stack: string): StackFrame[] {
  const frames: StackFrame[] = [];
  const lines = stack.slice(0, stackLengthMax).split("\n");
  const isChromium = lines.some((line) => /^\s+at \S/.test(line));
  for (const line of lines) {
    const raw = line.slice(0, lineLengthMax).trim();
    const frame = isChromium ? readChromium(raw) : readGecko(raw);
    if (frame) frames.push(frame);
  }
  return frames;
}

function readChromium(line: string): StackFrame | undefined {
  const [, async, rest] = chromium.exec(line) ?? [];
  if (rest === undefined) return undefined;
  const bracket = rest.endsWith(")") ? rest.indexOf(" (") : -1;
  const [name, address] = bracket < 0 ? [null, rest] : [rest.slice(0, bracket), rest.slice(bracket + 2, -1)];
  return makeFrame(name, address, async !== undefined);
}

/** Firefox and Safari. Safari omits the @ if there is no function, and writes no place for native code. */
function readGecko(line: string): StackFrame | undefined {
  if (bareAddress.test(line)) return makeFrame(null, line, false);
  const [matched, name = "", address = ""] = gecko.exec(line) ?? [];
  if (matched === undefined) return undefined;
  // Firefox puts the origin of an asynchronous call before a star: "async*load", "setTimeout handler*".
  const star = name.lastIndexOf("*");
  return makeFrame(name.slice(star + 1) || null, address, star >= 0);
}

/** Whether a file belongs to the app, by its name. */
const isOwnFile = (file: string): boolean => !foreign.test(file) && !foreignBundle.test(file);

function makeFrame(name: string | null, address: string, isAsync: boolean): StackFrame {
  const evalAt = /^eval at [^(]{1,500}\(([^()]*:\d+:\d+)\)/.exec(address)?.[1];
  const [, file = "", line, column] = place.exec(evalAt ?? address) ?? [];
  const isNative = file === "" || /^(?:native|<anonymous>|\[native code\]|unknown|index \d+)$/.test(file);
  return {
    function: name,
    file: isNative ? null : file,
    line: line === undefined ? null : Number(line),
    column: column === undefined ? null : Number(column),
    isOwn: !isNative && isOwnFile(file),
    isAsync,
  };
}
