import type { CardSort } from "@lodge/contract/dashboard/boards";
import { Check } from "lucide-react";
import { chooseForColumn, sortNames } from "../../api/column-choices.ts";
import { MenuGroup, MenuItem } from "../../ui/menu.tsx";
import { tellFailed } from "../../ui/toasts.tsx";

/** The menu items that sort a column on this device. */
export function SortItems({
  columnId,
  sort: chosen,
  order,
}: {
  columnId: string;
  sort: CardSort | undefined;
  order: (columnId: string) => Promise<void>;
}) {
  const choose = (sort: CardSort | undefined) => {
    chooseForColumn(columnId, { sort });
    order(columnId).catch((error: unknown) => tellFailed("Could not sort the column", error));
  };
  return (
    <MenuGroup label="Sort by">
      {([undefined, "priority", "dueAt", "createdAt"] as const).map((sort) => (
        <MenuItem key={sort ?? "position"} checked={sort === chosen} onClick={() => choose(sort)}>
          {sort ? sortNames[sort] : "Manual order"}
          {sort === chosen && <Check aria-hidden className="ml-auto size-4" />}
        </MenuItem>
      ))}
    </MenuGroup>
  );
}
