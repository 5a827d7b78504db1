import { Menu } from "@base-ui/react/menu";
import type { ReactElement, ReactNode } from "react";

const itemClass =
  "flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 py-1 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover";

/** A menu that opens from the button `trigger`. */
export function DropMenu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Menu.Root>
      <Menu.Trigger render={trigger} />
      <MenuPopup>{children}</MenuPopup>
    </Menu.Root>
  );
}

/** What opens: below its trigger, or beside `anchor`. */
export function MenuPopup({ anchor, children }: { anchor?: Element | null; children: ReactNode }) {
  return (
    <Menu.Portal>
      <Menu.Positioner {...(anchor && { anchor })} sideOffset={4} align="start" className="z-50">
        <Menu.Popup className="max-h-(--available-height) max-w-[min(20rem,100vw)] min-w-48 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-float focus:outline-none">
          {children}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}

/** One thing to do. */
export function MenuItem({
  onClick,
  disabled = false,
  danger = false,
  children,
}: {
  onClick: () => void;
  disabled?: boolean;
  danger?: boolean;
  children: ReactNode;
}) {
  return (
    <Menu.Item disabled={disabled} onClick={onClick} className={`${itemClass} ${danger ? "text-danger-ink" : ""}`}>
      {children}
    </Menu.Item>
  );
}

/** Items that belong together, under a name. */
export function MenuGroup({ label, children }: { label: string; children: ReactNode }) {
  return (
    <Menu.Group>
      <Menu.GroupLabel className="px-2 pt-2 pb-1 text-xs font-medium text-muted">{label}</Menu.GroupLabel>
      {children}
    </Menu.Group>
  );
}

/** A line between groups. */
export const MenuLine = () => <Menu.Separator className="mx-2 my-1 h-px bg-line" />;
