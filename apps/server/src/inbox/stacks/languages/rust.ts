import { shortFile } from "../files.ts";
import { type ErrorPart, type Language, makeFrame, type Place, type StackFrame, splitPlace } from "../frame.ts";

const frame = /^\s*(\d{1,6}):(?:\s+0x[0-9a-f]+ -)?\s+([<_A-Za-z{].{0,1000})$/;
const at = /^\s+at (\S.{0,1000}?:\d{1,9}(?::\d{1,9})?)$/;
const panicNew = /panicked at (\S[^:']{0,500}):(\d+):(\d+):$/;
const panicOld = /panicked at '(.*)', (\S[^:']{0,500}):(\d+)(?::(\d+))?$/s;
const foreignName =
  /^<?(?:&?(?:mut |dyn )?)?(?:std|core|alloc|__rustc|backtrace|panic_unwind|test|proc_macro|anyhow|thiserror|eyre|color_eyre|tokio|tokio_util|futures\w*|hyper\w*|axum\w*|actix\w*|tower\w*|tracing\w*|serde\w*|reqwest|sqlx\w*|diesel|rayon\w*|crossbeam\w*|gimli|addr2line|log|env_logger|rocket|warp|h2|mio|socket2|rustls|clap\w*|hashbrown|async_std|smol|async_\w+|parking_lot\w*|sentry\w*|tonic|prost|bytes|regex\w*|chrono|uuid|url|http|tungstenite|bevy\w*|wasm_bindgen\w*|once_cell|lazy_static|indexmap|rand\w*|rustc_\w+)::/;
const foreignBare =
  /^(?:_?_?rust_\w+|___rust_\w+|__libc_\w+|_?start|_?main|clone\w*|__clone\w*|start_thread|_pthread\w*|thread_start|__pthread\w*|BaseThreadInitThunk|RtlUserThreadStart|invoke_main|__scrt_\w+|panic_unwind|<unknown>)$/;
const foreignFile =
  /[\\/]rustc[\\/]|[\\/]\.?cargo[\\/](?:registry|git)[\\/]|[\\/]rustlib[\\/]|[\\/]registry[\\/]src[\\/]/;

/** Rust: backtraces of panics, anyhow and eyre. */
export const rust: Language = {
  name: "rust",
  isFrame: (line) => at.test(line) || (frame.test(line) && /::|rust_|<unknown>/.test(line)),
  read: (lines) => {
    const part: ErrorPart = { type: null, message: null, frames: [] };
    const causes: ErrorPart[] = [];
    let isInCauses = false;
    for (const [index, line] of lines.entries()) {
      const [, name] = frame.exec(line) ?? [];
      const symbol = frame.exec(line)?.[2];
      const [, where] = at.exec(lines[index + 1] ?? "") ?? [];
      if (/^\s*Caused by:$/.test(line)) isInCauses = true;
      else if (/^\s*(?:Stack backtrace|stack backtrace|Backtrace|BACKTRACE|Location):/.test(line)) isInCauses = false;
      else if (isInCauses && line.trim() !== "") {
        causes.push({ type: null, message: line.trim().replace(/^\d+: /, ""), frames: [] });
      } else if (name !== undefined && symbol !== undefined) part.frames.push(readFrame(line, symbol, where));
      else if (part.message === null) {
        const old = panicOld.exec(line);
        if (old) part.message = old[1] ?? null;
        else if (panicNew.test(line)) part.message = lines[index + 1]?.trim() ?? null;
        else if (/^Error: /.test(line)) part.message = line.slice(7);
      }
    }
    return { parts: [part, ...causes.slice(0, 10)], threads: [] };
  },
  isOwn: ({ function: name, file }) =>
    name?.includes("::") === true && !foreignName.test(name.trim()) && !foreignFile.test(file ?? ""),
  identify: ({ function: name, module, file }, root) => {
    if (name === null) return file === null ? null : shortFile(file, root);
    const full = module !== null && !name.includes("::") ? `${module}::${name}` : name;
    return full
      .replace(/^_(?=<)/, "")
      .replaceAll("..", "::")
      .replace(/::h[0-9a-f]{16}$/, "")
      .replaceAll(
        /::\{\{?(?:closure|vtable\.shim|impl|async_\w+)(?:#\d+)?\}?\}|\{\{?closure\}?\}|\{async_fn#\d+\}/g,
        "",
      )
      .replace(/^<(?:&?(?:mut |dyn )*)?([\w:]+)(?:<.*?>)? as [^>]*(?:<.*>)?[^>]*>/, "$1")
      .replaceAll(/::<[^<>]*(?:<[^<>]*>)?[^<>]*>/g, "")
      .replace(/^<([\w:]+)>/, "$1")
      .replace(/\[[0-9a-f]{16}\]/g, "");
  },
};

function readFrame(raw: string, symbol: string, where: string | undefined): StackFrame {
  const name = symbol.trim().replace(/ at \S+:\d+$/, "");
  const place: Place = {
    function: name,
    module: null,
    ...(where === undefined ? { file: null, line: null, column: null } : splitPlace(where)),
  };
  return makeFrame(raw, place, !foreignBare.test(name) && rust.isOwn(place));
}
