import type { ComponentProps } from "react";
import { Choice } from "../../ui/choice.tsx";

/** A choice under its name, as the other fields of a form have theirs. */
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
