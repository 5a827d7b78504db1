import { useState } from "react";
import { Modal } from "../ui/modal.tsx";
import { areSingleKeysOn, switchSingleKeys } from "../ui/single-keys.ts";
import { keys } from "./keys.ts";

const keyClass =
  "inline-flex h-6 min-w-6 items-center justify-center rounded-sm border border-line-strong/60 bg-canvas px-1.5 font-sans text-xs font-medium";

/** The keyboard shortcuts of the dashboard, and a switch for single-key shortcuts. */
export function KeysDialog({ close }: { close: () => void }) {
  const [on, setOn] = useState(areSingleKeysOn);
  return (
    <Modal title="Keyboard shortcuts" close={close}>
      <label className="mb-4 flex items-start gap-2.5">
        <input
          type="checkbox"
          checked={on}
          onChange={(event) => {
            switchSingleKeys(event.target.checked);
            setOn(event.target.checked);
          }}
          className="mt-0.5 size-4 shrink-0 accent-accent"
        />
        <span>
          Single-key shortcuts
          <span className="block text-xs text-muted">Turn these off if you use speech input.</span>
        </span>
      </label>
      <div className="flex flex-col gap-4">
        {Object.entries(Object.groupBy(keys, ({ where }) => where)).map(([where, ofThem = []]) => (
          <section key={where} aria-label={where}>
            <h3 className="mb-1 text-xs font-medium text-muted">{where}</h3>
            <dl className="flex flex-col gap-1">
              {ofThem.map((one) => (
                <div key={one.does} className="flex items-center justify-between gap-4">
                  <dt>{one.does}</dt>
                  <dd className="flex shrink-0 gap-1">
                    {one.keys.map((key) => (
                      <kbd key={key} className={keyClass}>
                        {key}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}
