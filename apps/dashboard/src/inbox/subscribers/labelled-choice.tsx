import type { ComponentProps } from "react";
import { Choice } from "../../ui/choice.tsx";

/** A choice with a label above it, like the other fields of a form. */
export function LabelledChoice<Value extends string>(choice: ComponentProps<typeof Choice<Value>>) {
  return (
    <div>
      <p aria-hidden className="mb-1 text-sm font-medium">
        {choice.label}
      </p>
      <Choice {...choice} className="w-full" />
    </div>
  );
}
