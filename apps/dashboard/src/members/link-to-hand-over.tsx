import { useId } from "react";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { controlClass } from "../ui/field.tsx";
import { ExactTime } from "../ui/time.tsx";

/** A link that was just made for somebody, to copy and send. */
export function LinkToHandOver({
  to,
  url,
  expiresAt,
  isMailed = false,
  close,
}: {
  to: string;
  url: string;
  expiresAt: string;
  isMailed?: boolean;
  close: () => void;
}) {
  const id = useId();
  return (
    <div className="flex flex-col gap-4">
      <p className="text-muted">
        {isMailed ? `This link is on its way to ${to} by e-mail.` : `Send this link to ${to}.`} It is shown this once,
        and works until <ExactTime at={expiresAt} />.
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
