import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { Copyable } from "./copyable.tsx";

/** A new secret, shown only once: a hint, the secret, and further texts to copy in `children`. */
export function SecretOnce({
  warning,
  title = "Secret",
  secret,
  close,
  children,
}: {
  warning: string;
  title?: string;
  secret: string;
  close: () => void;
  children?: ReactNode;
}) {
  return (
    <div className="flex flex-col gap-5">
      <p className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">{warning}</p>
      <Copyable title={title} text={secret} />
      {children}
      <div className="flex justify-end">
        <Button look="primary" onClick={close}>
          I have copied it
        </Button>
      </div>
    </div>
  );
}
