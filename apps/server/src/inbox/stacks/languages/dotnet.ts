import {
  type ErrorPart,
  type Language,
  makeFrame,
  numberOf,
  type Place,
  type StackFrame,
  splitHeader,
} from "../frame.ts";

/** `at Type.Method(Int32 id) in file:line 12`; the .NET Framework writes "at", "in" and "line" in the user's language. */
const start = /^\s*(?:at|bei|à|en|в|em|na|w|op|vid) (\S.*)$/;
const inFile = /^\s*(?:\[0x[0-9a-f]+\] )?(?:in|bei|dans|en|в|em|na|w) (.{1,1000}?):(?:\D{0,10} )?(\d{1,9})\.?$/;
const unity = /^\s*([A-Za-z_][\w.+`<>|/:[\],]{2,500}) ?(\([^)]*\)) ?(?:\(at (.{1,1000}?):(\d{1,9})\))?$/;
const inner = /^\s*-{3}> (?:\(Inner Exception #\d+\) )?(.*)$/;
const endOfInner = /^\s*-{3} (?:End of inner exception stack trace|Ende der internen|Fin de la trace)/;
const rethrown =
  /^\s*-{3} (?:End of stack trace from previous location|Ende der Stapel|Fin de la trace de la pile à partir)/;
const foreign =
  /^(?:System|Microsoft|Mono|UnityEngine|UnityEditor|Unity|Cysharp|DG|Zenject|TMPro|Newtonsoft|Npgsql|Dapper|NUnit|Xunit|Castle|Autofac|MediatR|Polly|Serilog|Grpc|Google|Azure|Amazon|StackExchange|MySql|MySqlConnector|Oracle|MongoDB|FluentValidation|AutoMapper|Hangfire|MassTransit|RestSharp|Refit|Sentry|Android|AndroidX|Java|Foundation|UIKit|ObjCRuntime|Avalonia|MahApps|Prism|ReactiveUI|IdentityServer4|Swashbuckle|Quartz|RabbitMQ|Confluent|Elastic|Elasticsearch|NHibernate|Orleans|Akka|Internal|Interop|FSharp|MS|Windows|WinRT|Steeltoe|Nancy|ServiceStack|log4net|NLog|Moq|BenchmarkDotNet|CommandLine|Spectre)[.:]|^\(wrapper |^lambda_method|^DynamicClass\./;

/** .NET, and Unity and Mono. */
export const dotnet: Language = {
  name: "dotnet",
  isFrame: (line) => readFrame(line) !== undefined,
  read: (lines) => {
    const outer: ErrorPart = { type: null, message: null, frames: [] };
    const parts: ErrorPart[] = [outer];
    // The frames of an inner error end with a separator line; those after it belong to the outer error.
    const open: ErrorPart[] = [outer];
    for (const line of lines) {
      const [, caused] = inner.exec(line) ?? [];
      const [, number] = /\(Inner Exception #(\d+)\)/.exec(line) ?? [];
      const read = readFrame(line);
      if (caused !== undefined && number !== undefined) {
        // The first one was read already.
        open.splice(1);
        if (number === "0" && parts.length > 1) open.push({ type: null, message: null, frames: [] });
        else push(caused, true);
      } else if (caused !== undefined) {
        const ends = caused.indexOf(" ---> ");
        const said = ends < 0 ? caused : caused.slice(0, ends);
        for (const text of [said, ...(ends < 0 ? [] : caused.slice(ends + 6).split(" ---> "))].slice(0, 20)) push(text);
      } else if (endOfInner.test(line)) {
        if (open.length > 1) open.pop();
      } else if (rethrown.test(line)) continue;
      else if (read) open.at(-1)?.frames.push(read);
      else if (outer.type === null && outer.frames.length === 0 && parts.length === 1 && line.trim() !== "") {
        const [said = "", ...within] = line
          .trim()
          .replace(/^Unhandled [Ee]xception[.:]\s*/, "")
          .split(" ---> ");
        Object.assign(outer, readHeader(said));
        for (const text of within.slice(0, 20)) push(text);
      }
    }
    return { parts, threads: [] };

    function push(text: string, isMember = false) {
      const part: ErrorPart = { ...readHeader(text.replace(/<---$/, "")), frames: [], isMember };
      parts.push(part);
      open.push(part);
    }
  },
  isOwn: ({ function: name, module, file }) => {
    const full = module === null ? (name ?? "") : `${module}.${name}`;
    return name !== null && !foreign.test(full) && !/[\\/](?:\.nuget|PackageCache)[\\/]|^Library[\\/]/.test(file ?? "");
  },
  identify: ({ function: name, module }) => (name === null ? null : normaliseMethod(qualify(name, module))),
};

/** `async Task<Item> Cart.Load(int id)` in `Shop.Cart`, or in the assembly `Shop, Version=…`, is `Shop.Cart.Load`. */
function qualify(sent: string, module: string | null): string {
  const name = /^[^(]{1,500}\s([^\s(]{1,500})\(/.exec(sent)?.[1] ?? sent;
  const [within = ""] = (module ?? "").split(",");
  if (within === "" || name.startsWith(within)) return name;
  const last = `${within.split(/[.+]/).at(-1)}.`;
  return name.startsWith(last) ? `${within}.${name.slice(last.length)}` : `${within}.${name}`;
}

/**
 * Reads the header of an error, without the number that some types append to their name: `SocketException (111):
 * refused`.
 */
const readHeader = (text: string) =>
  splitHeader(text.replace(/^([\w.+`]{1,300}) \((?:0x[0-9A-F]{1,16}|-?\d{1,10})\)(?=:|$)/i, "$1"));

function readFrame(line: string): StackFrame | undefined {
  const { name, brackets, rest } = splitCall(start.exec(line)?.[1] ?? "");
  // JavaScript has an address in its brackets, the JVM a file.
  if (/[.:]|^lambda_method/.test(name) && brackets !== "" && !isOfOthers(brackets)) {
    const [, file, digits] = inFile.exec(rest) ?? [];
    const known = file !== undefined && !/^<.*>$/.test(file) ? file : null;
    return make(line, name, known, known === null ? undefined : digits);
  }
  const [, plain, , at, on] = unity.exec(line) ?? [];
  const isUnity =
    plain !== undefined &&
    /[.:][\w<]/.test(plain) &&
    (at !== undefined || /^\s*[\w.+/`]+:[\w.<>`]+ ?\([\w., [\]&<>`]*\)$/.test(line));
  return isUnity ? make(line, plain, at ?? null, on) : undefined;
}

/** The called function, its parameters in brackets, and the rest of the line. */
function splitCall(text: string): { name: string; brackets: string; rest: string } {
  const opened = text.indexOf("(", text.startsWith("(") ? 1 : 0);
  let depth = 0;
  for (let at = opened; at >= 0 && at < text.length; at++) {
    depth += text[at] === "(" ? 1 : text[at] === ")" ? -1 : 0;
    if (depth > 0) continue;
    return { name: text.slice(0, opened).trim(), brackets: text.slice(opened, at + 1), rest: text.slice(at + 1) };
  }
  return { name: "", brackets: "", rest: "" };
}

const isOfOthers = (brackets: string) =>
  /:\/\/|:\d+(?::\d+)?\)$|\.(?:java|kts?|scala|groovy|clj|m?[jt]sx?)(?::\d+)?\)$|^\((?:Native Method|Unknown Source.*|<anonymous>|native|SourceFile.*|<generated>|index \d+)\)$/.test(
    brackets,
  );

function make(raw: string, name: string, file: string | null, digits: string | undefined): StackFrame {
  const place: Place = { function: name.trim(), module: null, file, line: numberOf(digits), column: null };
  return makeFrame(raw, place, dotnet.isOwn(place));
}

/** `Cart.<LoadAsync>d__4.MoveNext`, `Cart.<>c__DisplayClass3_0.<LoadAsync>b__0` and `Cart.<LoadAsync>g__Sum|3_0` are `Cart.LoadAsync`. */
function normaliseMethod(full: string): string {
  const [before = full] = full.split("(");
  const name = before
    .trim()
    .replaceAll("+", ".")
    .replaceAll("/", ".")
    .replace(":", ".")
    .replaceAll(/`\d+/g, "")
    .replaceAll(/\[[^\]]*\]/g, "");
  const [, type = "", method = ""] =
    /^(.*?)\.<(?:<)?(\w+)>[\w|]*(?:>d)?\b.*$/.exec(
      name.replaceAll(/\.?<>c(?:__DisplayClass[\w]*)?(?:<[^>]*>)?(?=\.)/g, ""),
    ) ?? [];
  return method === "" ? name.replace(/<[^<>]*>$/, "") : `${type}.${method}`;
}
