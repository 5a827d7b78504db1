import type { Command } from "commander";
import { Failure } from "./failure.ts";

/** The shells that there is completion for. */
export const shells = ["bash", "zsh", "fish"] as const;

type Level = { path: string[]; words: string[] };

/** What can follow each command: its subcommands and its long options. */
function levelsOf(command: Command, path: string[] = []): Level[] {
  const words = [
    ...command.commands.map((sub) => sub.name()),
    ...command.options.map(({ long }) => long).filter((long) => long != null),
    "--help",
  ];
  return [{ path, words }, ...command.commands.flatMap((sub) => levelsOf(sub, [...path, sub.name()]))];
}

/** A script that makes a shell complete the commands and options of `program`. */
export function completionOf(program: Command, shell: string): string {
  const levels = levelsOf(program);
  const cases = levels.map(({ path, words }) => `    "${path.join(" ")}") words="${words.join(" ")}" ;;`).join("\n");
  if (shell === "bash" || shell === "zsh") {
    const head = shell === "zsh" ? "autoload -U +X bashcompinit && bashcompinit\n" : "";
    return `${head}_lodge() {
  local path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; *) path="\${path:+$path }$word" ;; esac
  done
  case "$path" in
${cases}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _lodge lodge
`;
  }
  if (shell === "fish") {
    const lines = levels.flatMap(({ path, words }) => {
      const seen = path.map((name) => `__fish_seen_subcommand_from ${name}`).join("; and ") || "__fish_use_subcommand";
      return words.map((word) =>
        word.startsWith("--")
          ? `complete -c lodge -n "${seen}" -l ${word.slice(2)}`
          : `complete -c lodge -f -n "${seen}" -a ${word}`,
      );
    });
    return `${lines.join("\n")}\n`;
  }
  throw new Failure("usage", `There is completion for ${shells.join(", ")}.`);
}
