import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { RefObject } from "react";
import { IconButton } from "../ui/button.tsx";
import { backdropClass } from "../ui/modal.tsx";
import { Sidebar } from "./sidebar.tsx";

/** The sidebar over the page on a narrow screen. `returnTo` gets the focus when it closes. */
export function Drawer({ returnTo, close }: { returnTo: RefObject<HTMLElement | null>; close: () => void }) {
  return (
    <Dialog.Root open onOpenChange={(open) => !open && close()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={backdropClass} />
        <Dialog.Popup
          finalFocus={returnTo}
          className="fixed inset-y-0 left-0 z-40 w-72 max-w-[85vw] border-r border-line bg-sunken shadow-float"
        >
          <Dialog.Title className="sr-only">Menu</Dialog.Title>
          <Sidebar inDrawer />
          <Dialog.Close render={<IconButton label="Close the menu" className="absolute top-2.5 right-2 z-10" />}>
            <X aria-hidden className="size-4" />
          </Dialog.Close>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
