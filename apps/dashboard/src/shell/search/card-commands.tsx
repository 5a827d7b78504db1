import { labelsMax } from "@lodge/contract/limits";
import { Archive, ArchiveRestore, CircleCheck, Columns3, Link2, SignalHigh, Tag, UserRound } from "lucide-react";
import type { CardTarget } from "../../board/board/use-card-target.ts";
import { copyLink } from "../../board/ticket/copy-link.ts";
import { type Entry, sign } from "./entry.tsx";

/** The actions on the cards to which the search applies. */
export function cardCommands({ name, cards, columns, act }: CardTarget): Entry[] {
  const command = (
    id: string,
    label: string,
    icon: Parameters<typeof sign>[0],
    does: Entry["does"],
    rest: Pick<Entry, "hint" | "shortcut"> = {},
  ): Entry => ({ id: `card-${id}`, group: name, label, mark: sign(icon), does, ...rest });
  const [card] = cards;
  const done = columns.find(({ isDone }) => isDone);
  const isOpen = done && cards.some(({ columnId }) => columnId !== done.id);
  const isArchived = cards.every(({ archivedAt }) => archivedAt !== null);
  const takesLabels = cards.some(({ labels }) => labels.length < labelsMax);
  return [
    command("assign", "Assign to…", UserRound, { list: "assign" }, { shortcut: "A" }),
    command("prioritise", "Set priority…", SignalHigh, { list: "prioritise" }, { shortcut: "P" }),
    ...(takesLabels ? [command("label", "Add label…", Tag, { list: "label" }, { shortcut: "L" })] : []),
    ...(columns.length > 1 ? [command("move", "Move to…", Columns3, { list: "move" }, { shortcut: "M" })] : []),
    ...(isOpen ? [command("done", "Mark done", CircleCheck, { act: () => act.move(done) }, { hint: done.name })] : []),
    isArchived
      ? command("restore", "Restore to its board", ArchiveRestore, { act: act.archive })
      : command("archive", "Archive", Archive, { act: act.archive }),
    ...(card && cards.length === 1
      ? [command("copy", "Copy link", Link2, { act: () => void copyLink(`${location.origin}/tickets/${card.id}`) })]
      : []),
  ];
}
