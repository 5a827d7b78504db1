import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useId } from "react";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { DialogForm } from "../../ui/dialog-form.tsx";
import { controlClass } from "../../ui/field.tsx";
import { Modal } from "../../ui/modal.tsx";
import { ExactTime } from "../../ui/time.tsx";

/** A newly created link for a person. With `isMailed`, it was also e-mailed. */
type Link = { to: string; url: string; expiresAt: string; isMailed?: boolean };

/** Shows the form in `children`, creates a link for a person, and shows it once. */
export function LinkDialog({
  title,
  titleOf = () => title,
  make,
  close,
  children,
}: {
  title: string;
  /** The title once the link is created. */
  titleOf?: (link: Link) => string;
  make: () => Promise<Link>;
  close: () => void;
  children: ReactNode;
}) {
  const making = useMutation({ mutationFn: make, gcTime: 0 }); // the link is dropped with the dialog
  if (making.data) {
    return (
      <Modal title={titleOf(making.data)} showsOnce close={close}>
        <LinkToHandOver link={making.data} close={close} />
      </Modal>
    );
  }
  return (
    <Modal title={title} close={close}>
      <DialogForm save={making} submit="Create link" onSubmit={() => making.mutate()} close={close}>
        {children}
      </DialogForm>
    </Modal>
  );
}

function LinkToHandOver({ link, close }: { link: Link; close: () => void }) {
  const { to, url, expiresAt, isMailed = false } = link;
  const id = useId();
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        {isMailed ? `A link was e-mailed to ${to}. You can also share this link.` : `Send this link to ${to}.`} It is
        shown only once, and works until <ExactTime at={expiresAt} />.
      </p>
      <div>
        <div className="mb-1 flex items-center justify-between">
          <label htmlFor={id} className="text-sm font-medium">
            Link
          </label>
          <CopyButton text={url} label="link" />
        </div>
        <input
          id={id}
          readOnly
          value={url}
          onFocus={(event) => event.target.select()}
          className={`${controlClass} h-9 font-mono text-xs`}
        />
      </div>
      <div className="flex justify-end">
        <Button look="primary" onClick={close}>
          Done
        </Button>
      </div>
    </div>
  );
}
