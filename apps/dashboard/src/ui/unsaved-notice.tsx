import type { ReactNode } from "react";
import { Button } from "./button.tsx";

/**
 * The notice about an unsaved text, or the text `says`, with buttons to save or discard it. With a `problem` it cannot
 * be saved.
 */
export function UnsavedNotice({
  what,
  problem,
  says = `Unsaved ${what}.`,
  save,
  discard,
  saveLabel = "Save",
}: {
  what: string;
  problem?: string | undefined;
  says?: string | undefined;
  save: () => void;
  discard: () => void;
  saveLabel?: ReactNode;
}) {
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 rounded-md bg-warn-soft py-1 pr-1 pl-3 text-sm text-warn-ink">
      <p role="status" className="min-w-40 flex-1">
        {problem ?? says}
      </p>
      <Button small onClick={discard}>
        Discard<span className="sr-only"> your {what}</span>
      </Button>
      {!problem && (
        <Button small look="primary" onClick={save}>
          {saveLabel}
          <span className="sr-only"> your {what}</span>
        </Button>
      )}
    </div>
  );
}
