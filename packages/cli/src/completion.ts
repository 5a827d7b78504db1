import type { Command } from "commander";
import { Failure } from "./failure.ts";

/** The shells that completion supports. */
export const shells = ["bash", "zsh", "fish"] as const;

type Level = {
  path: string[];
  /** Subcommands, arguments with a fixed list of values, and long options. */
  words: string[];
  /** The options that take a value, with the allowed values; empty if any value is allowed. */
  values: { option: string; choices: readonly string[] }[];
};

/** The possible words after each command, including the options of its parents. */
function levelsOf(command: Command, path: string[] = [], inherited: Level["values"] = []): Level[] {
  const named = command.options.flatMap(({ long, required, optional, argChoices = [] }) =>
    long == null ? [] : [{ option: long, takesValue: required || optional, choices: argChoices }],
  );
  const words = [
    ...command.commands.map((sub) => sub.name()),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    ...named.map(({ option }) => option),
    "--help",
  ];
  const own = named.flatMap(({ option, takesValue, choices }) => (takesValue ? [{ option, choices }] : []));
  const values = [...own, ...inherited];
  return [{ path, words, values }, ...command.commands.flatMap((sub) => levelsOf(sub, [...path, sub.name()], values))];
}

/** A script that makes a shell complete the commands, options and values of `program`. */
export function completionOf(program: Command, shell: string): string {
  const levels = levelsOf(program);
  if (shell === "bash" || shell === "zsh") return bashScript(levels, shell);
  if (shell === "fish") return fishScript(levels);
  throw new Failure("usage", `Completion is available for ${shells.join(", ")}.`);
}

function bashScript(levels: Level[], shell: "bash" | "zsh"): string {
  const paths = levels.filter(({ path }) => path.length > 0).map(({ path }) => `"${path.join(" ")}"`);
  const wordCases = levels.map(({ path, words }) => `    "${path.join(" ")}") words="${words.join(" ")}" ;;`);
  const valueCases = levels.flatMap(({ path, values }) =>
    values.map(({ option, choices }) => `    "${path.join(" ")} ${option}") words="${choices.join(" ")}" ;;`),
  );
  const head = shell === "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "";
  return `${head}_lodge() {
  local path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in ${paths.join("|")}) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${wordCases.join("\n")}
  esac
  case "$path \${COMP_WORDS[COMP_CWORD-1]}" in
${valueCases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _lodge lodge
`;
}

function fishScript(levels: Level[]): string {
  const lines = levels.flatMap(({ path, words, values }) => {
    const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ") || "__fish_use_subcommand";
    return words.map((word) => {
      if (!word.startsWith("--")) return `complete -c lodge -f -n "${seen}" -a ${word}`;
      const value = values.find(({ option }) => option === word);
      const given = !value ? "" : value.choices.length > 0 ? ` -x -a "${value.choices.join(" ")}"` : " -r";
      return `complete -c lodge -n "${seen}" -l ${word.slice(2)}${given}`;
    });
  });
  return `${lines.join("\n")}\n`;
}
