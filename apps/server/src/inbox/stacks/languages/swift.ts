import {
  type ErrorPart,
  type Language,
  makeFrame,
  numberOf,
  type Place,
  type StackFrame,
  type Thread,
} from "../frame.ts";

/** `0   Shop   0x0000000104f2c3a8 Cart.total() + 124 (Cart.swift:42)`: crash reports and callStackSymbols. */
const report = /^\s*(\d{1,4})\s{1,20}([^\s[](?:[^\t]{0,100}?\S)?)\s{1,50}(0x[0-9a-fA-F]{6,16})\s(.{1,1000})$/;
/** `0 0x0000aaaad1234 [ra] total() + 92 in Shop at /app/Sources/Shop/Cart.swift:12:9`: Swift on Linux. */
const linux =
  /^\s*(\d{1,4})\s+(?:\[\w+\] )?(?:0x[0-9a-fA-F]+ )?(?:\[(?:ra|inlined|system|async)\] ){0,3}(\S.{0,500}?)(?: \+ \d+)? in (\S{1,200})(?: at (\/.{1,1000}?):(\d{1,9})(?::\d{1,9})?)?$/;
/** `frame #0: 0x0000 Shop`Cart.total(self=…) at Cart.swift:42:13`: the debugger, and Xcode's `#0	0x… in total at …`. */
const debuggers =
  /^\s*(?:\* )?(?:frame )?#(\d{1,4}):?\s+(?:0x[0-9a-fA-F]+ )?(?:in )?(?:([^\s`]{1,100})`)?(\S.{0,500}?)(?: \+ \d+)?(?: at ([^\s:()][^:()]{0,500}\.(?:swift|mm?|c|cpp|h)):(\d{1,9})(?::\d{1,9})?)$/;
const thread = /^\s*Thread (\d{1,5})(?: name:.*|( Crashed)?:.*| crashed:?|.*)$/i;
const system =
  /^(?:UIKit\w*|Foundation|CoreFoundation|SwiftUI\w*|Combine|QuartzCore|GraphicsServices|AppKit|HIToolbox|CFNetwork|WebKit\w*|WebCore|JavaScriptCore|CoreData|CoreGraphics|CoreImage|CoreLocation|CoreMedia|CoreText|CoreAutoLayout|CoreServices|Security|Network|AVF\w+|XCTest\w*|Metal\w*|MapKit|StoreKit|Photos\w*|EventKit|HealthKit|CloudKit|GameKit|SpriteKit|SceneKit|RealityKit|ARKit|Vision|WidgetKit|ActivityKit|BackgroundTasks|FrontBoard\w*|BaseBoard|RunningBoardServices|Accelerate|IOKit|ImageIO|libsystem_\w+\S*|libSystem\S*|libswift\S*|libdispatch\S*|libobjc\S*|libc\+\+\S*|libxpc\S*|libclang\S*|libBacktrace\S*|libsqlite\S*|dyld\S*|libc\.so\S*|libpthread\S*|ld-linux\S*|Alamofire|AFNetworking|RxSwift|RxCocoa|Realm\w*|Sentry\w*|Firebase\w*|Crashlytics|GoogleUtilities|SDWebImage|Kingfisher|SnapKit|Moya|Lottie|Flutter|React|hermes|Apollo\w*|Starscream|NIO\w*|Vapor|\?\?\?|<unknown>)$/;
const foreignName =
  /^(?:main|start|_?start|\$main\(\)|static .*\.\$main\(\)|__libc_\w+|partial apply|thunk for|reabstraction thunk|merged |outlined |@objc |__swift_\w+|_?swift_\w+|protocol witness|dispatch thunk|closure #\d+ in static .*\.\$main|_?assertionFailure|_assertionFailure\(|_fatalError\w*|fatalError\(|Swift\.|_swift_\w+|NS\w+ |CA\w+ |UIApplicationMain|__\w+|<redacted>|specialized _\w+|generic specialization <.*> of Swift\.|(?:static )?Optional\.|Array\.|ContiguousArrayBuffer\.|_ContiguousArrayBuffer\.|_ArrayBuffer\.|Dictionary\.|UnsafeMutablePointer\.|[-+]\[(?:NS|UI|CA|CF|_UI|__NS|WK|SCN|AV|MK)\w+)/;

/** Swift and Objective-C: crash reports, callStackSymbols, the debugger, and backtraces of Swift on Linux. */
export const swift: Language = {
  name: "swift",
  isFrame: (line) => readFrame(line) !== undefined,
  read: (lines) => {
    const part: ErrorPart = { type: null, message: null, frames: [] };
    const threads: Thread[] = [];
    let frames = part.frames;
    let isCrashed = false;
    for (const line of lines) {
      const read = readFrame(line);
      const [, number] = thread.exec(line) ?? [];
      if (read) frames.push(read);
      else if (number !== undefined && /^\s*Thread \d+/.test(line)) {
        const crashed = /crashed/i.test(line);
        if (crashed && !isCrashed && part.frames.length > 0) {
          // Only the crashed thread counts, wherever it is listed.
          threads.push({ name: "Thread", frames: part.frames.splice(0) });
        }
        if (crashed && !isCrashed) frames = part.frames;
        else if (part.frames.length > 0 || isCrashed) {
          frames = [];
          threads.push({ name: line.trim().slice(0, 100), frames });
        }
        isCrashed ||= crashed;
      } else if (part.message === null && part.frames.length === 0) {
        const [, message] =
          /^(?:.*: )?Fatal error: (.*)$/.exec(line) ??
          /^\*\*\* Terminating app due to uncaught exception '[^']*', reason: '(.*)'/.exec(line) ??
          [];
        if (message !== undefined) part.message = message;
      }
    }
    return { parts: [part], threads: threads.filter((each) => each.frames.length > 0) };
  },
  isOwn: ({ function: name, module }) =>
    name !== null &&
    !(module !== null && system.test(baseOf(module))) &&
    !foreignName.test(name) &&
    !/^(?:0x|_mh_|\d+$)/.test(name),
  identify: ({ function: name, module }) => {
    if (name === null) return null;
    return normaliseName(name, module) || null;
  },
};

const baseOf = (module: string) => module.split("/").at(-1) ?? module;

function readFrame(line: string): StackFrame | undefined {
  const [, , image, , rest] = report.exec(line) ?? [];
  if (image !== undefined && rest !== undefined) {
    // Without symbols: the image's address and an offset, which differ between builds.
    const isBare =
      /^(?:0x[0-9a-fA-F]+|\S+) \+ \d+$/.test(rest) && (rest.startsWith("0x") || rest.startsWith(`${image} `));
    if (isBare) return makeFrame(line, { module: image }, false);
    const [, name = rest, file, digits] =
      /^(.*?)(?: \+ \d+)?(?: \(([^()]+\.\w+):(\d+)\)| \(in [^()]+\).*)?$/.exec(rest) ?? [];
    return make(line, {
      function: demangle(name),
      module: image,
      file: file ?? null,
      line: numberOf(digits),
      column: null,
    });
  }
  const [, , symbol, binary, path, on] = linux.exec(line) ?? [];
  if (symbol !== undefined && binary !== undefined && !/^\S+\.(?:rb|py|php)/.test(symbol)) {
    return make(line, {
      function: demangle(symbol),
      module: binary,
      file: path ?? null,
      line: numberOf(on),
      column: null,
    });
  }
  const [, , module, name, at, number] = debuggers.exec(line) ?? [];
  if (name === undefined) return undefined;
  return make(line, {
    function: demangle(name),
    module: module ?? null,
    file: at ?? null,
    line: numberOf(number),
    column: null,
  });
}

const make = (raw: string, place: Place) => makeFrame(raw, place, swift.isOwn(place));

/** The types and the function of a mangled name, without parameters and results; other names are unchanged. */
function demangle(name: string): string {
  if (!/^_?\$[sS]\d/.test(name)) return name;
  const names: string[] = [];
  let at = name.search(/\d/);
  while (names.length < 8) {
    const [digits] = /^\d{1,3}/.exec(name.slice(at, at + 3)) ?? [];
    if (digits === undefined || digits === "0") break;
    const start = at + digits.length;
    const end = start + Number(digits);
    if (end > name.length) break;
    names.push(name.slice(start, end));
    at = end;
    // The characters after a type show its kind; the name of a function ends the search.
    const [kind] = /^[CVOPE]/.exec(name.slice(at, at + 1)) ?? [];
    if (kind !== undefined) at += 1;
    else if (names.length > 1) break;
  }
  return names.length > 1 ? names.slice(1).join(".") : name;
}

/** `closure #1 in Shop.Cart.total(code: Swift.String) -> ()` is `Cart.total`. */
function normaliseName(name: string, module: string | null): string {
  if (/^[-+]\[/.test(name)) return name.replace(/^(-|\+)\[[\w]+\.(?=\w+ )/, "$1[");
  let inner = name
    .replace(/^\(\d+\) (?:await|suspend) resume partial function for /, "")
    .replace(/^(?:specialized |static |@objc |@nonobjc |generic specialization <[^>]*> of |implicit )+/, "");
  const closure = inner.lastIndexOf(" in ");
  if (/^(?:closure|local|implicit closure) /.test(inner) && closure >= 0)
    inner = inner.slice(closure + 4).replace(/^static /, "");
  const [bare = inner] = inner.replace(/ #\d+/g, "").split(/[(<]| -> | async| throws/);
  const own =
    module === null
      ? ""
      : baseOf(module)
          .replace(/\.debug\.dylib$/, "")
          .replaceAll(/[^\w]/g, "_");
  const short = own !== "" && bare.startsWith(`${own}.`) ? bare.slice(own.length + 1) : bare;
  return short
    .trim()
    .replace(/\.(?:getter|setter|modify|read|didset|willset)$/, "")
    .replaceAll(/\d{3,}/g, "#");
}
