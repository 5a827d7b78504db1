import { type ErrorPart, type Language, makeFrame, numberOf, type Place, type StackFrame } from "../frame.ts";

/** `(shop 0.1.0) lib/shop/cart.ex:42: Shop.Cart.total/1` */
const frame =
  /^\s*(?:\(([\w.-]{1,100})(?: [^)\s]{1,50})?\) )?((?:[\w./-]+\/)?[\w.-]+\.(?:ex|exs|erl|eex|leex|heex|yrl|xrl)):(\d{1,9}): (.{1,1000})$/;
const withoutFile = /^\s*\(([\w.-]{1,100})(?: [^)\s]{1,50})?\) ([\w.:"]+[.:].{1,500}\/\d+|.{1,500}\))$/;
const header = /^\s*\*\* \((EXIT from [^)]*|EXIT|[\w.]+)\)(?: (.*))?$/;
const foreignApp =
  /^(?:elixir|stdlib|kernel|erts|ssl|crypto|mix|iex|ex_unit|logger|eex|phoenix\w*|plug\w*|ecto\w*|cowboy\w*|cowlib|ranch|bandit|thousand_island|db_connection|postgrex|myxql|oban\w*|absinthe\w*|telemetry\w*|jason|poison|finch|mint|tesla|httpoison|hackney|req|broadway|gen_stage|flow|swoosh|gettext|nimble_\w+|redix|websock\w*|sentry|hpax|castore|decimal|timex|quantum|commanded|horde|libcluster|nebulex|cachex|guardian|ueberauth\w*|surface|membrane\w*|nx|exla|mox|compiler|tools|sasl|mnesia|inets|public_key|castore|phoenix)$/;

/** Elixir and Erlang. */
export const elixir: Language = {
  name: "elixir",
  isFrame: (line) => frame.test(line),
  read: (lines) => {
    const parts: ErrorPart[] = [];
    let frames: StackFrame[] | undefined;
    const begin = (type: string | null, message: string | null) => {
      const part: ErrorPart = { type, message, frames: [] };
      parts.push(part);
      frames = part.frames;
    };
    for (const line of lines) {
      const [, type, message = ""] = header.exec(line) ?? [];
      const read = readFrame(line);
      if (type !== undefined) begin(type.startsWith("EXIT") ? "EXIT" : type, message);
      else if (read) {
        if (!frames) begin(null, null);
        frames?.push(read);
      }
    }
    return { parts: parts.length > 0 ? parts : [{ type: null, message: null, frames: [] }], threads: [] };
  },
  isOwn: ({ function: name, module, file }) => {
    if (module !== null && foreignApp.test(module)) return false;
    const isErlangs = file?.endsWith(".erl") === true && module === null;
    // Phoenix generates these two in each controller.
    if (/Controller\.(?:action|phoenix_controller_pipeline)\/2$/.test(name ?? "")) return false;
    return !/(?:^|\/)deps\//.test(file ?? "") && !isErlangs && !/^:/.test(name ?? "") && name !== null;
  },
  identify: ({ function: name }) => {
    if (name === null) return null;
    const called = name
      .replace(/^anonymous fn\/\d+ in /, "")
      .replace(/"-(?:fun\.)?([^/"]+)\/\d+-[^"]*"(?:\/\d+)?/, "$1")
      .replace(/^Elixir\./, "");
    const [bare = called] = /^[\w.:!?@]+/.exec(called) ?? [];
    return bare;
  },
};

function readFrame(line: string): StackFrame | undefined {
  const [, app, file, digits, name] = frame.exec(line) ?? [];
  if (file !== undefined && name !== undefined) {
    const place: Place = { function: name, module: app ?? null, file, line: numberOf(digits), column: null };
    return makeFrame(line, place, elixir.isOwn(place));
  }
  const [, of, called] = withoutFile.exec(line) ?? [];
  if (of === undefined || called === undefined) return undefined;
  const place: Place = { function: called, module: of, file: null, line: null, column: null };
  return makeFrame(line, place, elixir.isOwn(place));
}
