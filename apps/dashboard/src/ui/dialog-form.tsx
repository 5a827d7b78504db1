import type { ReactNode } from "react";
import { Button } from "./button.tsx";
import { FormError } from "./notice.tsx";

/** The form of a dialog: its fields, the error of the last `save`, and the buttons that cancel and submit it. */
export function DialogForm({
  save,
  submit,
  look = "primary",
  disabled = false,
  onSubmit,
  close,
  children,
}: {
  save: { error: unknown; isPending: boolean };
  submit: string;
  look?: "primary" | "danger";
  disabled?: boolean;
  onSubmit: () => void;
  close: () => void;
  children: ReactNode;
}) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      className="flex flex-col gap-4"
    >
      {children}
      <FormError error={save.error} />
      <div className="flex justify-end gap-2">
        <Button onClick={close}>Cancel</Button>
        <Button type="submit" look={look} busy={save.isPending} disabled={disabled}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
