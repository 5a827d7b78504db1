import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copyable.tsx";

/** Codes for recovery, which are shown this once. */
export function RecoveryCodeList({ codes, done }: { codes: readonly string[]; done: () => void }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
        Keep these where your device is not: each signs you in once when you have lost it. They are shown this once.
      </p>
      <Copyable title="Codes for recovery" text={codes.join("\n")} />
      <Button look="primary" className="self-start" onClick={done}>
        I have kept them
      </Button>
    </div>
  );
}
