import { Menu } from "@base-ui/react/menu";
import { type MouseEvent, type ReactElement, type ReactNode, useState } from "react";

const itemClass =
  "flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 py-1 outline-none select-none data-disabled:opacity-50 data-highlighted:bg-hover";

/** How a key looks beside what it does. */
const keyHintClass = "ml-auto shrink-0 pl-3 font-sans text-xs text-muted";

/** A menu that opens from the button `trigger`. */
export function DropMenu({ trigger, children }: { trigger: ReactElement; children: ReactNode }) {
  return (
    <Menu.Root>
      <Menu.Trigger render={trigger} />
      <MenuPopup>{children}</MenuPopup>
    </Menu.Root>
  );
}

/** What a button needs to open a menu. */
type Opens = {
  "aria-haspopup": "menu";
  "aria-expanded": boolean;
  onClick: (event: MouseEvent<HTMLElement>) => void;
};

/** A menu that is made when it is opened, for where there are several or hundreds; `trigger` renders its button. */
export function MenuOnDemand({ trigger, children }: { trigger: (opens: Opens) => ReactElement; children: ReactNode }) {
  const [anchor, setAnchor] = useState<HTMLElement>();
  return (
    <>
      {trigger({
        "aria-haspopup": "menu",
        "aria-expanded": anchor !== undefined,
        onClick: ({ currentTarget }) => setAnchor(currentTarget),
      })}
      {anchor && (
        <Menu.Root open onOpenChange={(open) => !open && setAnchor(undefined)}>
          <MenuPopup anchor={anchor}>{children}</MenuPopup>
        </Menu.Root>
      )}
    </>
  );
}

/** What opens: below its trigger, or beside `anchor`, where it stays: to follow one is as much work as to open. */
export function MenuPopup({ anchor, children }: { anchor?: Element | null; children: ReactNode }) {
  return (
    <Menu.Portal>
      <Menu.Positioner
        {...(anchor && { anchor, disableAnchorTracking: true })}
        sideOffset={4}
        align="start"
        className="z-50"
      >
        <Menu.Popup className="max-h-(--available-height) max-w-[min(20rem,100vw)] min-w-48 overflow-y-auto rounded-lg border border-line bg-raised p-1 shadow-float focus:outline-none">
          {children}
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}

/** One thing to do; `shortcut` is the key that does it where the menu is not open. */
export function MenuItem({
  onClick,
  disabled = false,
  danger = false,
  shortcut,
  children,
}: {
  onClick: () => void;
  disabled?: boolean;
  danger?: boolean;
  shortcut?: string;
  children: ReactNode;
}) {
  return (
    <Menu.Item disabled={disabled} onClick={onClick} className={`${itemClass} ${danger ? "text-danger-ink" : ""}`}>
      {children}
      {shortcut && <kbd className={keyHintClass}>{shortcut}</kbd>}
    </Menu.Item>
  );
}

/** Items that belong together, under a name; `shortcut` is the key that leads to them. */
export function MenuGroup({ label, shortcut, children }: { label: string; shortcut?: string; children: ReactNode }) {
  return (
    <Menu.Group>
      <Menu.GroupLabel className="flex px-2 pt-2 pb-1 text-xs font-medium text-muted">
        {label}
        {shortcut && <kbd className={keyHintClass}>{shortcut}</kbd>}
      </Menu.GroupLabel>
      {children}
    </Menu.Group>
  );
}

/** A line between groups. */
export const MenuLine = () => <Menu.Separator className="mx-2 my-1 h-px bg-line" />;
