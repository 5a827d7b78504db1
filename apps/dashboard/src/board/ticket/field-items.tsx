import { AlignLeft, Columns3, MessageSquare, SignalHigh, Tag, UserRound } from "lucide-react";
import { MenuItem } from "../../ui/menu.tsx";
import type { CardField } from "./asked-field.ts";

const fields = [
  { field: "column", does: "Move", key: "M", icon: Columns3 },
  { field: "assignee", does: "Assign", key: "A", icon: UserRound },
  { field: "priority", does: "Set the priority", key: "P", icon: SignalHigh },
  { field: "labels", does: "Label", key: "L", icon: Tag },
  { field: "description", does: "Edit the description", key: "E", icon: AlignLeft },
  { field: "comment", does: "Comment", key: "R", icon: MessageSquare },
] as const satisfies { field: CardField; does: string; key: string; icon: unknown }[];

/** The menu items for the fields of a card, with their shortcuts. */
export function FieldItems({ leave, lead }: { leave?: CardField; lead: (field: CardField) => void }) {
  return fields
    .filter(({ field }) => field !== leave)
    .map(({ field, does, key, icon: Icon }) => (
      <MenuItem key={field} shortcut={key} onClick={() => lead(field)}>
        <Icon aria-hidden className="size-4" />
        {does}
      </MenuItem>
    ));
}
