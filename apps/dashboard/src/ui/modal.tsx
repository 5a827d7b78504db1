import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { Button, IconButton } from "./button.tsx";
import { FormError } from "./notice.tsx";

/** The classes of the backdrop. */
export const backdropClass = "fixed inset-0 z-40 bg-scrim";
const popupClass =
  "fixed top-[8vh] left-1/2 z-40 flex max-h-[84vh] w-[calc(100vw-2rem)] max-w-lg -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-float";

const field = "input:not([type=hidden]), textarea, select, [role=combobox]";

/**
 * The initial focus of a dialog: its first field, else its main button. If it was opened by touch, its main button: focus
 * on a field opens the keyboard, which covers half of the dialog.
 */
function findInitialFocus(content: HTMLElement | null, openedBy: string): HTMLElement | null {
  const find = (selector: string) => content?.querySelector<HTMLElement>(selector) ?? null;
  return (openedBy === "touch" ? null : find(field)) ?? find("button[type=submit]") ?? find("button") ?? content;
}

/**
 * A dialog with the focus on its first field. Calls `close` when the person closes it. Set `showsOnce` if its content,
 * such as a new secret, cannot be shown again: then Escape and a click outside do not close it.
 */
export function Modal({
  title,
  close,
  showsOnce = false,
  children,
}: {
  title: string;
  close: () => void;
  showsOnce?: boolean;
  children: ReactNode;
}) {
  const content = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root
      open
      disablePointerDismissal={showsOnce}
      onOpenChange={(open, { reason }) => {
        if (!open && !(showsOnce && reason === "escape-key")) close();
      }}
    >
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup className={popupClass} initialFocus={(openedBy) => findInitialFocus(content.current, openedBy)}>
          <div className="flex items-center justify-between gap-2 border-b border-line py-3 pr-3 pl-5">
            <Dialog.Title className="text-md font-semibold">{title}</Dialog.Title>
            <Dialog.Close render={<IconButton label="Close" />}>
              <X aria-hidden className="size-4" />
            </Dialog.Close>
          </div>
          <div ref={content} tabIndex={-1} className="relative overflow-y-auto p-5 outline-none">
            {children}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** Asks for confirmation; Enter confirms. Stays open with the error if `act` fails. */
export function Confirm({
  title,
  children,
  confirm,
  act,
  close,
}: {
  title: string;
  children: ReactNode;
  confirm: string;
  act: () => Promise<unknown>;
  close: () => void;
}) {
  const [error, setError] = useState<unknown>();
  const [busy, setBusy] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (error) button.current?.focus(); // the button lost the focus while it was busy
  }, [error]);
  const run = async () => {
    setBusy(true);
    try {
      await act();
      close();
    } catch (failure) {
      setError(failure);
      setBusy(false);
    }
  };
  return (
    <AlertDialog.Root open onOpenChange={(open) => !open && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdropClass} />
        <AlertDialog.Popup initialFocus={button} className={`${popupClass} max-w-md gap-3 p-5`}>
          <AlertDialog.Title className="text-md font-semibold">{title}</AlertDialog.Title>
          <AlertDialog.Description className="text-muted">{children}</AlertDialog.Description>
          <FormError error={error} />
          <div className="mt-2 flex justify-end gap-2">
            <AlertDialog.Close render={<Button />}>Cancel</AlertDialog.Close>
            <Button ref={button} look="danger" busy={busy} onClick={() => void run()}>
              {confirm}
            </Button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
