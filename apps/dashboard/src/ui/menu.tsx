import {
  type ComponentProps,
  cloneElement,
  createContext,
  type ReactElement,
  type ReactNode,
  use,
  useId,
  useState,
} from "react";
import { type Opened, openedBy, Popup } from "./popup.tsx";

const itemClass =
  "flex min-h-8 w-full cursor-default! items-center gap-2 rounded-md px-2 py-1 text-left outline-none select-none focus:bg-hover disabled:opacity-50";

/** The classes of a shortcut in a menu. */
const keyHintClass = "ml-auto shrink-0 pl-3 font-sans text-xs text-muted";

const CloseMenu = createContext(() => {});

/** A menu that opens from the button `trigger`. It is rendered only when open, since a page may have hundreds. */
export function DropMenu({
  trigger,
  children,
}: {
  trigger: ReactElement<ComponentProps<"button">>;
  children: ReactNode;
}) {
  const [opened, setOpened] = useState<Opened>();
  return (
    <>
      {cloneElement(trigger, {
        "aria-haspopup": "menu",
        "aria-expanded": opened !== undefined,
        onClick: (event) => setOpened(opened ? undefined : openedBy(event)),
      })}
      {opened && (
        <Menu {...opened} close={() => setOpened(undefined)}>
          {children}
        </Menu>
      )}
    </>
  );
}

/** An open menu next to `anchor`, which names it. Choosing an item closes it. */
export function Menu({
  children,
  ...popup
}: Opened & { returnTo?: HTMLElement; close: () => void; children: ReactNode }) {
  return (
    <Popup
      {...popup}
      role="menu"
      label={popup.anchor.ariaLabel ?? popup.anchor.textContent}
      className="max-w-[min(20rem,100vw-1rem)] min-w-48 p-1"
    >
      <CloseMenu value={popup.close}>{children}</CloseMenu>
    </Popup>
  );
}

/** A menu item, or with `checked` a radio item. `shortcut` is its key while the menu is closed. */
export function MenuItem({
  onClick,
  checked,
  disabled = false,
  danger = false,
  shortcut,
  children,
}: {
  onClick: () => void;
  checked?: boolean;
  disabled?: boolean;
  danger?: boolean;
  shortcut?: string;
  children: ReactNode;
}) {
  const close = use(CloseMenu);
  return (
    <button
      type="button"
      {...(checked === undefined ? { role: "menuitem" } : { role: "menuitemradio", "aria-checked": checked })}
      tabIndex={-1}
      disabled={disabled}
      onClick={() => {
        onClick();
        close();
      }}
      className={`${itemClass} ${danger ? "text-danger-ink" : ""}`}
    >
      {children}
      {shortcut && <kbd className={keyHintClass}>{shortcut}</kbd>}
    </button>
  );
}

/** A named group of items. `shortcut` is the key that opens it. */
export function MenuGroup({ label, shortcut, children }: { label: string; shortcut?: string; children: ReactNode }) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a menu
    <div role="group" aria-labelledby={id}>
      <p id={id} className="flex px-2 pt-2 pb-1 text-xs font-medium text-muted">
        {label}
        {shortcut && <kbd className={keyHintClass}>{shortcut}</kbd>}
      </p>
      {children}
    </div>
  );
}

/** A separator between groups. */
export const MenuLine = () => <hr className="mx-2 my-1 h-px border-0 bg-line" />;
