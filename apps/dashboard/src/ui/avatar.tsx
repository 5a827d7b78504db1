import { labelColors, pickByText } from "@lodge/contract/label-colors";
import { Bot } from "lucide-react";
import { toneClass } from "./tone.ts";

/** The initials of a person in their colour, or the mark of the agent. The name is next to it or in its title. */
export function Avatar({ name, isAgent = false, small = false }: { name: string; isAgent?: boolean; small?: boolean }) {
  const size = small ? "size-5 text-[10px]" : "size-7 text-xs";
  return (
    <span
      aria-hidden
      title={name}
      className={`inline-flex shrink-0 items-center justify-center rounded-full font-semibold select-none ${size} ${
        isAgent ? "bg-accent-soft text-accent-ink" : toneClass(pickByText(labelColors, name))
      }`}
    >
      {isAgent ? <Bot className={small ? "size-3" : "size-4"} /> : initialsOf(name)}
    </span>
  );
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/);
  const picked = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return picked.map((word) => [...(word ?? "")][0]?.toLocaleUpperCase() ?? "").join("");
}
