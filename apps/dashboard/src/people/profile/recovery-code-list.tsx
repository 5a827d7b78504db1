import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copyable.tsx";

/** New recovery codes, shown only once. */
export function RecoveryCodeList({ codes, done }: { codes: readonly string[]; done: () => void }) {
  return (
    <div className="flex flex-col gap-3">
      <p className="rounded-md bg-warn-soft px-3 py-2 text-warn-ink">
        Store these codes away from your device. Each code lets you sign in once if you lose your device. They are shown
        only once.
      </p>
      <Copyable title="Recovery codes" text={codes.join("\n")} />
      <Button look="primary" className="self-start" onClick={done}>
        I have saved them
      </Button>
    </div>
  );
}
