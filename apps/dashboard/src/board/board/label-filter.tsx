import { ChevronsUpDown } from "lucide-react";
import { choiceClass } from "../../ui/choice.tsx";
import { LabelButton } from "../ticket/label-button.tsx";
import { LabelName } from "../ticket/label-name.tsx";

const anyLabel = "Any label";

/** The filter by label. */
export function LabelFilter({ label, show }: { label: string | undefined; show: (label: string | undefined) => void }) {
  return (
    <LabelButton
      once
      creates={false}
      any={anyLabel}
      chosen={label === undefined ? [] : [label]}
      choose={(name) => show(name === label ? undefined : name || undefined)}
      trigger={() => (
        <button type="button" aria-label={`Label: ${label ?? anyLabel}`} className={choiceClass}>
          <span className="min-w-0 flex-1 truncate">
            {label === undefined ? anyLabel : <LabelName name={label} className="px-2" />}
          </span>
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-muted" />
        </button>
      )}
    />
  );
}
